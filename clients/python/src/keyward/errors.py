from __future__ import annotations

from typing import Any


class KeywardError(Exception):
    """A failed call. Rely on `code`, which is stable, and not on the message.

    Besides the codes of the server there are `unreachable`, `timeout`, `unavailable` (a validation that
    was not sent, because Keyward did not respond to earlier ones), and `unexpected_response`: the response
    is not from Keyward, or from a version that this client does not understand.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        docs: str | None = None,
        retry_after_seconds: float | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        #: None when there was no response.
        self.status = status
        #: Quote it when you contact the operator.
        self.request_id = request_id
        #: The URL of the server's page about the code.
        self.docs = docs
        self.retry_after_seconds = retry_after_seconds
        self.body = body


class KeywardUnavailable(KeywardError):
    """Keyward did not respond, or responded with a 5xx status.

    The call may have taken effect, unless `code` is `unavailable`.
    """
