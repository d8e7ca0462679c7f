from __future__ import annotations

import os
import threading
import time
from typing import Any, Mapping

from .breaker import Admission, Breaker, Outcome
from .errors import KeywardError, KeywardUnavailable
from .transport import Response, Transport, retry_after_of


class ValidationCalls:
    """Sends validations, with their own timeout and through a circuit breaker.

    A batch has the timeout of other calls: it may take as long as a thousand validations.
    """

    def __init__(self, transport: Transport, timeout: float, batch_timeout: float) -> None:
        self._transport = transport
        self._timeout = timeout
        self._batch_timeout = batch_timeout
        self._breaker = Breaker()
        self._pid = os.getpid()
        #: What made the breaker refuse: a code, or a status.
        self._last_problem = ""

    def post(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Response:
        """Raises `KeywardUnavailable` at once, without a request, while the breaker is open."""
        if self._pid != os.getpid():
            # Forked: another thread of the parent may have held the lock, and its probe is not ours.
            self._breaker, self._pid = Breaker(), os.getpid()
        breaker = self._breaker
        now = time.monotonic()
        admission = breaker.admit(now)
        if admission.decision == "send":
            return self._send(breaker, admission, body, headers)
        if admission.decision == "probe":
            self._start_probe(breaker, admission, body)
        raise KeywardUnavailable(
            "unavailable",
            "Keyward did not respond to earlier validations, so this one was not sent "
            f"({self._last_problem}).",
            retry_after_seconds=breaker.wait(now),
        )

    def _send(
        self,
        breaker: Breaker,
        admission: Admission,
        body: Mapping[str, Any],
        headers: Mapping[str, str],
        retries: int | None = None,
    ) -> Response:
        outcome: Outcome = "cancelled"
        retry_after = 0.0
        try:
            timeout = self._batch_timeout if "keys" in body else self._timeout
            response = self._transport.post("/api-keys/auth", body, headers, timeout, retries)
            outcome, retry_after = response.status, retry_after_of(response) or 0.0
            if response.status >= 500:
                self._last_problem = f"status {response.status}"
            return response
        except KeywardError as error:
            outcome = self._last_problem = error.code
            raise
        finally:
            breaker.record(admission, outcome, time.monotonic(), retry_after)

    def _start_probe(
        self, breaker: Breaker, admission: Admission, body: Mapping[str, Any]
    ) -> None:
        """Nobody waits for its result, so it consumes nothing."""
        key = body["keys"][0] if "keys" in body else body["key"]
        probe = {"key": key if isinstance(key, str) else key["key"], "cost": 0}

        def send() -> None:
            try:
                self._send(breaker, admission, probe, {}, retries=0)
            except KeywardError:
                pass

        try:
            threading.Thread(target=send, name="keyward-probe", daemon=True).start()
        except RuntimeError:  # No more threads, or the interpreter is shutting down.
            breaker.record(admission, "cancelled", time.monotonic())
