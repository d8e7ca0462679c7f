"""A circuit breaker: while the server does not respond, requests are refused at once.

- closed: all requests are sent. A timeout opens the breaker, because its caller has waited long enough for
  all others; so does the fifth failure in a row (no connection, or a 502, 503 or 504).
- open: all requests are refused, until a second after the last request was sent, or for as long as its
  `Retry-After` says.
- half-open: the next request causes a probe, and is refused like all others while that is under way. If
  requests are rare, it is the probe itself. The result closes the breaker, or opens it again.

Each change of the state begins a round. Results of requests of earlier rounds are ignored. Times are on a
monotonic clock, in seconds. sdk/test/breaker-cases.ts tests the breakers of all languages.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Union

_FAILURES_MAX = 5
#: While the breaker is open, the server gets at most one request in this time.
_PROBE_EVERY = 1.0
#: A longer `Retry-After` is not believed: the server may be well again before.
_RETRY_AFTER_MAX = 30.0
#: If the last probe could have been sent longer ago, requests are rare, and the next one waits for its result.
_RARE = 5.0
#: A probe whose result was not recorded by then is forgotten: this process may have been forked.
_PROBE_MAX = 10.0
_UNAVAILABLE_STATUSES = (502, 503, 504)

#: The status of the response, or `unreachable`, `timeout`, or `cancelled` by the caller.
Outcome = Union[int, str]


@dataclass(frozen=True)
class Admission:
    #: `send`, `refuse`, or `probe`: refuse it, and send a request without effect in its place.
    decision: str
    at: float
    round: int


class Breaker:
    """May be shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state = "closed"
        self._round = 0
        self._failures = 0
        #: Open: when the next probe may be sent. Half-open: when the probe is forgotten.
        self._until = 0.0

    def admit(self, now: float) -> Admission:
        with self._lock:
            if self._state == "closed":
                return Admission("send", now, self._round)
            if now < self._until:
                return Admission("refuse", now, self._round)
            is_rare = self._state == "open" and now - self._until > _RARE
            self._enter("half-open", now + _PROBE_MAX)
            return Admission("send" if is_rare else "probe", now, self._round)

    def record(
        self, admission: Admission, outcome: Outcome, now: float, retry_after: float = 0.0
    ) -> None:
        """To be called once for each admission, unless it refused."""
        with self._lock:
            if admission.round != self._round:
                return
            is_probe = self._state == "half-open"
            if outcome == "cancelled":
                if is_probe:
                    self._enter("open", now)
            elif isinstance(outcome, int) and outcome not in _UNAVAILABLE_STATUSES:
                self._failures = 0
                if is_probe:
                    self._enter("closed", 0.0)
            else:
                self._failures += 1
                waited = now + min(retry_after, _RETRY_AFTER_MAX)
                if is_probe or outcome == "timeout" or self._failures >= _FAILURES_MAX:
                    self._enter("open", max(admission.at + _PROBE_EVERY, waited))

    def wait(self, now: float) -> float:
        """How long requests will be refused, as far as is known."""
        with self._lock:
            return max(0.0, self._until - now) if self._state == "open" else 0.0

    def _enter(self, state: str, until: float) -> None:
        self._state = state
        self._until = until
        self._round += 1
