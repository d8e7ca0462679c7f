"""Client of Keyward: validate, create and rotate API keys, and verify webhooks."""

from .client import Keyward
from .errors import KeywardError, KeywardUnavailable
from .types import (
    AccessKey,
    ApiKey,
    CreateKey,
    Customer,
    KeyRecord,
    KeyToValidate,
    Plan,
    Project,
    RateLimitConfigs,
    WebhookActor,
    WebhookEvent,
)
from .validation import RateLimit, Validation
from .webhooks import WebhookError, verify_webhook

__all__ = [
    "AccessKey",
    "ApiKey",
    "CreateKey",
    "Customer",
    "KeyRecord",
    "KeyToValidate",
    "Keyward",
    "KeywardError",
    "KeywardUnavailable",
    "Plan",
    "Project",
    "RateLimit",
    "RateLimitConfigs",
    "Validation",
    "WebhookActor",
    "WebhookError",
    "WebhookEvent",
    "verify_webhook",
]
