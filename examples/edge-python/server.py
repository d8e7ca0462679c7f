"""An API whose keys are validated by an edge on the same machine."""

import json
import math
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from keyward import Keyward, KeywardError, Validation

# No access key: the edge was started with --trust.
keyward = Keyward(os.environ.get("KEYWARD_URL", "unix:/tmp/keyward-edge.sock"), None)

PERMISSIONS = {"/documents": "documents.read"}


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        try:
            result = keyward.validate(
                self.headers.get("x-api-key", ""),
                permissions=PERMISSIONS.get(self.path),
                client_ip=self.client_address[0],
            )
        except KeywardError as error:
            # The error says nothing about the key: users must not discard their key.
            self.log_error("keys cannot be validated: %s (%s)", error, error.code)
            return self.respond(503, {"code": "keyward_unavailable"}, {"retry-after": "1"})
        if result.record is None:
            return self.respond(*refusal(result))
        body = {"documents": []} if self.path == "/documents" else {"hello": result.record["name"]}
        return self.respond(200, body, limit_headers(result))

    def respond(self, status: int, body: object, headers: "dict[str, str]") -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def refusal(result: Validation) -> "tuple[int, object, dict[str, str]]":
    headers = limit_headers(result)
    if result.rate_limit is not None and result.code == "rate_limited":
        headers["retry-after"] = str(math.ceil(result.rate_limit.retry_after_seconds))
    # 404 is about the key and not about the path, so users get 401.
    return 401 if result.status == 404 else result.status, {"code": result.code}, headers


def limit_headers(result: Validation) -> "dict[str, str]":
    limit = result.rate_limit
    if limit is None:
        return {}
    return {
        "ratelimit-limit": str(limit.limit),
        "ratelimit-remaining": str(limit.remaining),
        "ratelimit-reset": str(limit.reset),
    }


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Api)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
