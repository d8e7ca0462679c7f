from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Iterable, Iterator, Mapping, Sequence

from .refusals import REFUSALS
from .transport import Response
from .types import KeyRecord


@dataclass(frozen=True)
class RateLimit:
    limit: int
    remaining: int
    consumed: int
    #: UTC epoch seconds.
    reset: int
    retry_after_seconds: float


@dataclass(frozen=True)
class Validation:
    """The result of a validation. It is true in an `if` only for a valid key."""

    valid: bool
    #: `valid`, or why the key is refused.
    code: str
    #: The status of the code: 200, 403, 404 or 429.
    status: int
    #: None for a refused key.
    record: KeyRecord | None = None
    #: None for a key without a limit.
    rate_limit: RateLimit | None = None
    #: With `permission_denied`: the required permissions that the key lacks.
    missing: Sequence[str] = ()
    #: With `rate_limited`, if the key has `limits`: the name of the limit that refused.
    limit: str | None = None
    #: With `rate_limited`: until the window closes. With `credits_exhausted`: until the refill, if any.
    retry_after_seconds: float | None = None

    def __bool__(self) -> bool:
        return self.valid


MALFORMED = Validation(valid=False, code="key_malformed", status=404)


def verdict_of(response: Response) -> Validation | None:
    """The verdict about a key; None for every other response, such as the 404 of a proxy."""
    if response.status == 200 and _is_record(response.body):
        return Validation(True, "valid", 200, response.body, _limit_of_headers(response.headers))
    if response.code is None or REFUSALS.get(response.code) != response.status:
        return None
    return _refusal(response.code, response.body, _limit_of_headers(response.headers))


def verdict_of_item(item: Any) -> Validation | None:
    """The same for one item of a batch."""
    if not isinstance(item, dict):
        return None
    state = item.get("rateLimit")
    limit = None if state is None else _limit_of(state)
    code = str(item.get("code"))
    if item.get("valid") is True and _is_record(item.get("record")):
        return Validation(True, "valid", 200, item["record"], limit)
    if item.get("valid") is not False or code not in REFUSALS:
        return None
    return _refusal(code, item, limit)


def can_be_key(key: str) -> bool:
    """False for a missing key, and for values for which the server would reject the whole call, and not just the key."""
    try:
        return key != "" and "\0" not in key and len(key.encode("utf-16-le")) <= 2 * 4_096
    except UnicodeEncodeError:
        return False


def batches_of(sizes: Iterable[int]) -> Iterator[slice]:
    """Slices of at most 1,000 keys and 60,000 bytes; a call may have 64 KB."""
    start = end = total = 0
    for size in sizes:
        if end > start and (end - start == 1_000 or total + size > 60_000):
            yield slice(start, end)
            start, total = end, 0
        end += 1
        total += size
    if end > start:
        yield slice(start, end)


def _is_record(body: Any) -> bool:
    return isinstance(body, dict) and "id" in body and "customMetaData" in body


def _refusal(code: str, body: Mapping[str, Any], limit: RateLimit | None) -> Validation:
    return Validation(
        valid=False,
        code=code,
        status=REFUSALS[code],
        rate_limit=limit,
        missing=tuple(body.get("missing") or ()),
        limit=body.get("limit"),
        retry_after_seconds=_retry_after(code, body, limit),
    )


def _retry_after(code: str, body: Mapping[str, Any], limit: RateLimit | None) -> float | None:
    if code == "rate_limited" and limit is not None:
        return limit.retry_after_seconds
    refill_at = (body.get("credits") or {}).get("nextRefillAt")
    if code != "credits_exhausted" or refill_at is None:
        return None
    # Python 3.10 cannot parse the `Z`.
    at = datetime.fromisoformat(refill_at.replace("Z", "+00:00"))
    return max(0.0, at.timestamp() - time.time())


def _limit_of_headers(headers: Mapping[str, str]) -> RateLimit | None:
    names = ("limit", "remaining", "consumed", "reset")
    state: dict[str, Any] = {name: headers.get(f"ratelimit-{name}") for name in names}
    state["retryAfterSeconds"] = headers.get("retry-after-seconds")
    # A proxy may add some of these headers itself.
    return None if None in state.values() else _limit_of(state)


def _limit_of(state: Mapping[str, Any]) -> RateLimit:
    return RateLimit(
        limit=int(state["limit"]),
        remaining=int(state["remaining"]),
        consumed=int(state["consumed"]),
        reset=int(state["reset"]),
        retry_after_seconds=float(state["retryAfterSeconds"]),
    )
