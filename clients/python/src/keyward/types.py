"""Records of the API, with the names of its JSON fields. A test compares them with docs/openapi.json."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union

#: A name, a list of names that are all required, or `{"all": […]}` or `{"any": […]}`.
Permissions = Union[str, List[Any], Dict[str, Any]]


class RateLimitConfigs(TypedDict):
    rateLimit: int
    #: Seconds.
    rateLimitTtl: int


class _Key(TypedDict):
    id: str
    projectId: str
    #: The value. Whole only in the response that creates it, and masked in all others.
    key: str
    name: str
    customMetaData: Dict[str, Any]
    customAccountId: Optional[str]
    customUserId: Optional[str]
    env: str
    createdAt: str
    updatedAt: str
    isActive: bool
    expiresAt: Optional[str]
    rateLimitConfigs: Optional[RateLimitConfigs]
    creationContext: Dict[str, str]
    allowedDomains: Optional[List[str]]


class KeyRecord(_Key, total=False):
    """The record of a validated key."""

    permissions: List[str]
    credits: Dict[str, Any]
    rateLimits: List[Dict[str, Any]]


class ApiKey(_Key):
    """The record of a key as the management API shows it."""

    planId: Optional[str]
    permissions: List[str]
    limits: List[Dict[str, Any]]
    allowedIPs: Optional[List[str]]
    credits: Optional[Dict[str, Any]]
    startsAt: Optional[str]
    tags: List[str]
    firstUsedAt: Optional[str]
    lastUsedAt: Optional[str]
    rotatedFrom: Optional[str]
    rotatedTo: Optional[str]


class _Named(TypedDict):
    name: str


class CreateKey(_Named, total=False):
    projectId: str
    key: str
    customMetaData: Dict[str, Any]
    customAccountId: Optional[str]
    customUserId: Optional[str]
    #: An ISO 8601 date-time or date.
    expiry: Optional[str]
    rateLimitConfigs: Optional[RateLimitConfigs]
    allowedDomains: Optional[List[str]]
    planId: Optional[str]
    permissions: Optional[List[str]]
    limits: Optional[List[Dict[str, Any]]]
    allowedIPs: Optional[List[str]]
    startsAt: Optional[str]
    tags: Optional[List[str]]
    credits: Optional[Dict[str, Any]]
    clientIP: str
    clientUserAgent: str


class _Value(TypedDict):
    key: str


class KeyToValidate(_Value, total=False):
    """A value in a batch with requirements for this key alone."""

    permissions: Permissions
    cost: int


class _Event(TypedDict):
    id: str
    #: The topic, such as `api-key.created`.
    type: str
    timestamp: str
    accountId: str
    projectId: Optional[str]
    data: Dict[str, Any]


class WebhookActor(TypedDict):
    #: `portal`
    type: str
    customAccountId: str


class WebhookEvent(_Event, total=False):
    """The payload of a delivery."""

    #: Only if a customer made the change in the portal.
    actor: WebhookActor
