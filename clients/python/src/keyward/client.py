from __future__ import annotations

import ipaddress
import json
import re
import uuid
from typing import Any, Mapping, Sequence, cast
from urllib.parse import quote

from .errors import KeywardError
from .transport import Response, Transport, error_of
from .types import ApiKey, CreateKey, KeyToValidate, Permissions
from .validation import MALFORMED, Validation, batches_of, can_be_key, verdict_of, verdict_of_item
from .validation_calls import ValidationCalls

_TIMEOUT = 5.0
#: A request of the application waits for it.
_VALIDATION_TIMEOUT = 1.0


class Keyward:
    """A client for one server or edge, which may be shared by threads.

    ```python
    keyward = Keyward("unix:/run/keyward/edge.sock", os.environ["KEYWARD_ACCESS_KEY"])
    result = keyward.validate(value, permissions="documents.read")
    if result.valid: …
    ```

    `timeout` is that of a call in seconds, including retries and the waits between them: 5 by default.
    `validation_timeout` is that of the validation of one key: `timeout`, or 1 if that is not set
    either. While Keyward does not respond, validations raise `KeywardUnavailable` at once.

    Calls are repeated at most `retries` times, and once more if a connection that was used before is
    lost; a validation whose response was lost may count twice.
    """

    def __init__(
        self,
        url: str,
        access_key: str | None,
        *,
        timeout: float | None = None,
        validation_timeout: float | None = None,
        retries: int = 2,
    ) -> None:
        """Without an access key (`None`), only an edge with `--trust` accepts calls."""
        self._transport = Transport(url, access_key, retries)
        self._timeout = _TIMEOUT if timeout is None else timeout
        if validation_timeout is None:
            validation_timeout = _VALIDATION_TIMEOUT if timeout is None else timeout
        self._validations = ValidationCalls(self._transport, validation_timeout, self._timeout)

    def validate(
        self,
        key: str,
        *,
        permissions: Permissions | None = None,
        client_ip: str | None = None,
        origin_domain: str | None = None,
        cost: int | Mapping[str, int] | None = None,
        resource: str | None = None,
    ) -> Validation:
        """Validates a key and counts its use. Raises `KeywardError` if there is no verdict.

        `cost` is a number, or an amount of each unit, such as `{"tokens": 1200}`. `resource` selects
        the limits that apply, by their `for`: use the pattern of your route, such as
        `POST:/v1/chat`, never a header or a path that your user sent.
        """
        if not can_be_key(key):
            return MALFORMED
        body = _without_none(
            key=key,
            permissions=permissions,
            clientIP=_address(client_ip),
            cost=cost if cost is None or isinstance(cost, int) else dict(cost),
            resource=resource,
        )
        response = self._validations.post(body, _origin_header(origin_domain))
        return _checked(verdict_of(response), response)

    def validate_many(
        self,
        keys: Sequence[str | KeyToValidate],
        *,
        permissions: Permissions | None = None,
        client_ip: str | None = None,
        origin_domain: str | None = None,
        resource: str | None = None,
    ) -> list[Validation]:
        """Validates any number of keys, in calls of up to 1,000, in the order of `keys`.

        `resource` is for keys without one of their own.
        """
        results = [MALFORMED] * len(keys)
        sent = [at for at, key in enumerate(keys) if can_be_key(_value_of(key))]
        headers = _origin_header(origin_domain)
        needs = _without_none(
            permissions=permissions, clientIP=_address(client_ip), resource=resource
        )
        for part in batches_of(len(json.dumps(keys[at])) + 2 for at in sent):
            verdicts = self._validate_batch([keys[at] for at in sent[part]], needs, headers)
            for at, verdict in zip(sent[part], verdicts):
                results[at] = verdict
        return results

    def create_key(self, fields: CreateKey, *, idempotency_key: str | None = None) -> ApiKey:
        """Creates a key. Its value is in this response only. An edge cannot create keys."""
        return self._create("/api-keys", fields, idempotency_key)

    def rotate_key(
        self, key: str, *, grace_seconds: int = 0, idempotency_key: str | None = None
    ) -> ApiKey:
        """Replaces a key, given by value or id; the old value works for `grace_seconds`.

        An edge cannot rotate keys.
        """
        if key == "":
            raise ValueError("Keyward: `key` must be a value or an id.")
        path = f"/api-keys/{quote(key, safe='')}/rotate"
        return self._create(path, {"graceSeconds": grace_seconds}, idempotency_key)

    def close(self) -> None:
        """Closes idle connections."""
        self._transport.close()

    def __enter__(self) -> Keyward:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _validate_batch(
        self,
        keys: Sequence[str | KeyToValidate],
        needs: Mapping[str, object],
        headers: Mapping[str, str],
    ) -> list[Validation]:
        body: dict[str, object] = {"keys": keys, **needs}
        response = self._validations.post(body, headers)
        if response.code == "batch_too_large" and len(keys) > 1:
            # The records are too large for one response. None of the keys was counted.
            half = len(keys) // 2
            first = self._validate_batch(keys[:half], needs, headers)
            return first + self._validate_batch(keys[half:], needs, headers)
        items = response.body if isinstance(response.body, list) else []
        if response.status != 200 or len(items) != len(keys):
            raise _no_verdict(response)
        return [_checked(verdict_of_item(item), response) for item in items]

    def _create(self, path: str, body: Any, idempotency_key: str | None) -> ApiKey:
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        response = self._transport.post(path, body, headers, self._timeout)
        if response.status != 201 or not isinstance(response.body, dict):
            raise error_of(response)
        return cast(ApiKey, response.body)


def _value_of(key: str | KeyToValidate) -> str:
    return key if isinstance(key, str) else key["key"]


def _without_none(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _address(client_ip: str | None) -> str | None:
    """Leaves out text that is not an address; the server then refuses keys with `allowedIPs`."""
    try:
        ipaddress.ip_address(client_ip or "")
    except ValueError:
        return None
    return client_ip if client_ip is not None and "%" not in client_ip else None


def _origin_header(domain: str | None) -> Mapping[str, str]:
    """Leaves out what cannot be a header; the server then refuses keys with `allowedDomains`."""
    if domain is None or not re.fullmatch(r"[\x21-\x7e]{1,512}", domain):
        return {}
    return {"x-origin-domain": domain}


def _checked(verdict: Validation | None, response: Response) -> Validation:
    # Not `or`: a refusal is false.
    if verdict is None:
        raise _no_verdict(response)
    return verdict


def _no_verdict(response: Response) -> KeywardError:
    if response.status >= 400:
        return error_of(response)
    message = "The response is not the result of a validation. Check `url`."
    return KeywardError("unexpected_response", message, status=response.status)
