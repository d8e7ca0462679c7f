from __future__ import annotations

import http.client
import io
import json
import os
import random
import re
import socket
import ssl
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Any, Mapping
from urllib.parse import urlsplit

from .errors import KeywardError, KeywardUnavailable

_IDLE_CONNECTIONS_MAX = 32


@dataclass(frozen=True)
class Response:
    status: int
    #: By lower-case name.
    headers: Mapping[str, str]
    #: None if it is not JSON.
    body: Any

    @property
    def code(self) -> str | None:
        code = self.body.get("code") if isinstance(self.body, dict) else None
        return code if isinstance(code, str) else None


class Transport:
    """Sends calls that may be repeated. Connections are reused, also by several threads."""

    def __init__(self, url: str, access_key: str | None, retries: int) -> None:
        self._connect, self._prefix = _connector_of(url)
        if access_key is not None and not re.fullmatch(r"[\x21-\x7e]+", access_key):
            # The message does not quote the key.
            raise ValueError("Keyward: `access_key` is empty, or contains spaces or line breaks.")
        self._headers = {"accept": "application/json", "content-type": "application/json"}
        if access_key is not None:
            self._headers["x-api-key"] = access_key
        self._retries = retries
        self._idle: deque[http.client.HTTPConnection] = deque()
        self._pid = os.getpid()

    def post(
        self,
        path: str,
        body: object,
        headers: Mapping[str, str],
        timeout: float,
        retries: int | None = None,
    ) -> Response:
        """Returns the response, whatever its status; raises `KeywardUnavailable` if there is none.

        `retries`: if not those of the client.
        """
        content = json.dumps(body).encode()
        deadline = time.monotonic() + timeout
        retries_max = self._retries if retries is None else retries
        attempt = 0
        while True:
            try:
                result: Response | KeywardUnavailable = self._attempt(
                    path, content, {**self._headers, **headers}, deadline
                )
            except socket.timeout as error:  # Not repeated: the server may still be processing this attempt.
                raise KeywardUnavailable("timeout", "Keyward did not respond in time.") from error
            except (OSError, http.client.HTTPException) as error:
                result = KeywardUnavailable("unreachable", f"Keyward cannot be reached: {error}")
                result.__cause__ = error
            wait = _wait_seconds(attempt, result)
            attempt += 1
            is_last = attempt > retries_max or time.monotonic() + wait >= deadline
            if is_last or not _may_retry(result):
                if isinstance(result, KeywardUnavailable):
                    raise result
                return result
            time.sleep(wait)

    def close(self) -> None:
        while (connection := self._idle_connection()) is not None:
            connection.close()

    def _attempt(
        self, path: str, content: bytes, headers: Mapping[str, str], deadline: float
    ) -> Response:
        connection = self._idle_connection()
        if connection is not None:
            try:
                return self._exchange(connection, path, content, headers, deadline)
            except (ConnectionError, http.client.HTTPException):
                # Probably the server closed the connection while it was idle, and the others too.
                self.close()
        return self._exchange(self._connect(), path, content, headers, deadline)

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        content: bytes,
        headers: Mapping[str, str],
        deadline: float,
    ) -> Response:
        try:
            if connection.sock is None:
                connection.timeout = _remaining(deadline)
                connection.connect()
            sock: Any = connection.sock
            sock.settimeout(_remaining(deadline))
            connection.response_class = partial(_TimedResponse, deadline)  # type: ignore[assignment]
            connection.request("POST", self._prefix + path, content, dict(headers))
            response = connection.getresponse()
            text = response.read()
        except BaseException:
            # A response that is still to come must not be read as that of the next call.
            connection.close()
            raise
        if response.will_close or len(self._idle) >= _IDLE_CONNECTIONS_MAX:
            connection.close()
        else:
            self._idle.append(connection)
        lower = {name.lower(): value for name, value in response.getheaders()}
        return Response(response.status, lower, _parsed(text))

    def _idle_connection(self) -> http.client.HTTPConnection | None:
        if self._pid != os.getpid():
            # Forked: the connections belong to the parent, which would read our responses.
            self._idle, self._pid = deque(), os.getpid()
        try:
            return self._idle.pop()
        except IndexError:
            return None


def _remaining(deadline: float) -> float:
    return max(0.001, deadline - time.monotonic())


class _TimedReader(io.RawIOBase):
    """Reads until a deadline. The timeout of a socket alone starts again with every byte."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, deadline: float) -> None:
        self._raw, self._sock, self._deadline = raw, sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise socket.timeout("timed out")
        self._sock.settimeout(remaining)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, deadline: float, sock: socket.socket, **options: Any) -> None:
        super().__init__(sock, **options)
        self.fp: Any = io.BufferedReader(_TimedReader(self.fp.detach(), sock, deadline))


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _connector_of(url: str) -> tuple[Any, str]:
    """A function that opens a connection, and the path that every call begins with."""
    if url.startswith("unix:/"):
        path = url[len("unix:") :]
        return (lambda: _UnixConnection(path)), ""
    parts = urlsplit(url)
    host, port = parts.hostname, parts.port
    if parts.scheme not in ("http", "https") or not host or parts.query or "@" in parts.netloc:
        raise ValueError(
            "Keyward: `url` must be an http or https address without user and query, "
            "or `unix:` with the path of a socket, such as unix:/run/keyward/edge.sock."
        )
    prefix = parts.path.rstrip("/")
    if parts.scheme == "http":
        return (lambda: http.client.HTTPConnection(host, port)), prefix
    context = ssl.create_default_context()
    return (lambda: http.client.HTTPSConnection(host, port, context=context)), prefix


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _may_retry(result: Response | KeywardUnavailable) -> bool:
    if isinstance(result, KeywardUnavailable):
        return True
    # `idempotency_in_flight`: the attempt whose response was lost is still running.
    repeatable = ("management_rate_limited", "idempotency_in_flight")
    return result.status in (502, 503, 504) or result.code in repeatable


def _wait_seconds(attempt: int, result: Response | KeywardUnavailable) -> float:
    """Exponential backoff with full jitter, but never less than the server's `Retry-After`."""
    backoff = random.random() * min(5.0, 0.1 * 2.0**attempt)
    if isinstance(result, KeywardUnavailable):
        return backoff
    return max(backoff, retry_after_of(result) or 0.0)


def retry_after_of(response: Response) -> float | None:
    """Successful responses have `retry-after-seconds` too, so it counts only with `Retry-After`."""
    text = response.headers.get("retry-after")
    if text is None:
        return None
    try:
        return max(0.0, float(response.headers.get("retry-after-seconds") or text))
    except ValueError:
        return None


def error_of(response: Response) -> KeywardError:
    """The error for a response that is not the result of the call."""
    kind = KeywardUnavailable if response.status >= 500 else KeywardError
    retry_after = retry_after_of(response)
    if response.code is None:
        message = f"The response is not from Keyward (status {response.status}). Check `url`."
        return kind(
            "unexpected_response", message, status=response.status, retry_after_seconds=retry_after
        )
    body = response.body
    return kind(
        response.code,
        str(body.get("message", response.code)),
        status=response.status,
        request_id=body.get("requestId"),
        docs=body.get("docs"),
        retry_after_seconds=retry_after,
        body=body,
    )
