from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Sequence, cast

from .types import WebhookEvent


#: Precedes the topic in the type of a CloudEvent.
_CLOUD_EVENT_PREFIX = "io.github.keyward."


class WebhookError(Exception):
    """The request is not a valid delivery of your webhook: respond with 400 and ignore it.

    `code` is `headers_missing`, `timestamp_invalid` (not a timestamp), `timestamp_too_old`,
    `timestamp_too_new`, `signature_invalid`, or `body_invalid` (signed, but not JSON).
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Verifies the signature (Standard Webhooks) and the time of a delivery, and returns its event.

    `body` is the raw body: the signature covers its bytes. With several secrets, one must match.
    CloudEvents are returned in the same form as other events.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    id, timestamp = lower.get("webhook-id"), lower.get("webhook-timestamp")
    signatures = lower.get("webhook-signature")
    if not id or not timestamp or not signatures:
        raise WebhookError("headers_missing", "The request has no webhook signature headers.")
    _check_time(timestamp, time.time() if now is None else now, tolerance_seconds)
    signed = f"{id}.{timestamp}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [hmac.new(_key_of(each), signed, hashlib.sha256).digest() for each in secrets]
    given = [_decoded(each[3:]) for each in signatures.split(" ") if each.startswith("v1,")]
    if not any(hmac.compare_digest(a, b) for a in expected for b in given):
        raise WebhookError("signature_invalid", "No signature matches the body and the secret.")
    return _event_of(body)


def _event_of(body: bytes) -> WebhookEvent:
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise WebhookError("body_invalid", "The body is signed, but it is not a JSON object.")
    return cast(WebhookEvent, _from_cloud_event(event) if "specversion" in event else event)


def _check_time(timestamp: str, now: float, tolerance_seconds: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookError("timestamp_invalid", "The timestamp of the delivery is not a number.")
    age = now - int(timestamp)
    if age > tolerance_seconds:
        raise WebhookError("timestamp_too_old", "The delivery is too old; it may be a replay attack.")
    if age < -tolerance_seconds:
        message = "The timestamp of the delivery is in the future. Check the clocks."
        raise WebhookError("timestamp_too_new", message)


def _key_of(secret: str) -> bytes:
    key = _decoded(secret[6:] if secret.startswith("whsec_") else secret)
    if key == b"":
        raise ValueError("Keyward: `secret` must be `whsec_` followed by base64.")
    return key


def _decoded(text: str) -> bytes:
    """Empty for text that is not base64, which matches no signature."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _from_cloud_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """A webhook with `format: cloudevents` sends the same event with other field names."""
    plain = {
        "id": event.get("id"),
        "type": str(event.get("type")).removeprefix(_CLOUD_EVENT_PREFIX),
        "timestamp": event.get("time"),
        "accountId": event.get("accountid"),
        "projectId": event.get("projectid"),
        "data": event.get("data"),
    }
    if "actortype" in event:
        actor = {"type": event["actortype"], "customAccountId": event.get("actorcustomer")}
        return {**plain, "actor": actor}
    return plain
