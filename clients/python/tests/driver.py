"""Calls the client as the tests ask for: one JSON object per line in, and one per line out."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from keyward import (
    Keyward,
    KeywardError,
    KeywardUnavailable,
    Validation,
    WebhookError,
    verify_webhook,
)
from keyward.breaker import Breaker

client: Keyward


def call(method: str, args: dict[str, Any]) -> Any:
    global client
    if method == "connect":
        if "validationTimeout" in args:
            args["validation_timeout"] = args.pop("validationTimeout")
        client = Keyward(args.pop("url"), args.pop("accessKey"), **args)
        return None
    if method == "validate":
        return shown(client.validate(args.pop("key"), **options(args)))
    if method == "validateMany":
        return [shown(each) for each in client.validate_many(args.pop("keys"), **options(args))]
    if method == "create":
        return client.create_key(args["fields"], idempotency_key=args.get("idempotencyKey"))
    if method == "rotate":
        return client.rotate_key(args["key"], grace_seconds=args["graceSeconds"])
    if method == "verify":
        return verify_webhook(args["body"].encode(), args["headers"], args["secrets"], now=args["now"])
    if method == "breaker":
        return decisions(args["steps"])
    raise ValueError(method)


def decisions(steps: list[dict[str, Any]]) -> list[str]:
    breaker, admissions = Breaker(), []
    for step in steps:
        at = step["at"] / 1000
        if "admit" in step:
            admissions.append(breaker.admit(at))
        else:
            retry_after = step.get("retryAfterMs", 0) / 1000
            breaker.record(admissions[step["of"]], step["result"], at, retry_after)
    return [admission.decision for admission in admissions]


def options(args: dict[str, Any]) -> dict[str, Any]:
    names = {"clientIP": "client_ip", "originDomain": "origin_domain"}
    return {names.get(name, name): value for name, value in args.items()}


def shown(result: Validation) -> dict[str, Any]:
    fields = asdict(result)
    return {
        **fields,
        "valid": bool(result),
        "rateLimit": fields.pop("rate_limit"),
        "retryAfter": fields.pop("retry_after_seconds") or 0,
    }


def answer(line: str) -> dict[str, Any]:
    request = json.loads(line)
    try:
        return {"result": call(request["method"], request["args"])}
    except KeywardError as error:
        return {
            "error": {
                "code": error.code,
                "message": str(error),
                "status": error.status,
                "isUnavailable": isinstance(error, KeywardUnavailable),
            }
        }
    except (WebhookError, ValueError) as error:
        return {"error": {"code": getattr(error, "code", "ValueError"), "message": str(error)}}


for line in sys.stdin:
    print(json.dumps(answer(line)), flush=True)
