"""Client of Keyward: validate, create and rotate API keys, and verify webhooks."""

from .client import Keyward
from .errors import KeywardError, KeywardUnavailable
from .types import (
    ApiKey,
    CreateKey,
    KeyRecord,
    KeyToValidate,
    RateLimitConfigs,
    WebhookActor,
    WebhookEvent,
)
from .validation import RateLimit, Validation
from .webhooks import WebhookError, verify_webhook

__all__ = [
    "ApiKey",
    "CreateKey",
    "KeyRecord",
    "KeyToValidate",
    "Keyward",
    "KeywardError",
    "KeywardUnavailable",
    "RateLimit",
    "RateLimitConfigs",
    "Validation",
    "WebhookActor",
    "WebhookError",
    "WebhookEvent",
    "verify_webhook",
]
