// Code generated from docs/openapi.json by `npm run openapi`; DO NOT EDIT.

package keyward

import "encoding/json"

// RateLimitConfigs is the limit of a key.
type RateLimitConfigs struct {
	// Requests permitted in a window.
	RateLimit int `json:"rateLimit"`
	// Length of the window in seconds; it opens at the first request.
	RateLimitTTL int `json:"rateLimitTtl"`
}

// KeyRecord is the record of a validated key.
type KeyRecord struct {
	// Id of the key: `key_…`.
	ID string `json:"id"`
	// Id of its project: `prj_…`.
	ProjectID string `json:"projectId"`
	// The value of the key. Shown in full only in the response to the request that sets it, and masked in all
	// others.
	Key string `json:"key"`
	// Who uses the key and for what, for example “Acme, production”.
	Name string `json:"name"`
	// Any JSON object, up to 16 KB and 32 levels deep.
	CustomMetaData map[string]any `json:"customMetaData"`
	// Your own id of the customer that the key belongs to. Keys with the same id share the settings, credits and
	// `customer` limits of that customer.
	CustomAccountID *string `json:"customAccountId"`
	// Your own id of the user of the key. Only for filters and search.
	CustomUserID *string `json:"customUserId"`
	// The environment of the project.
	Env string `json:"env"`
	// ISO 8601, UTC.
	CreatedAt string `json:"createdAt"`
	// ISO 8601, UTC.
	UpdatedAt string `json:"updatedAt"`
	IsActive  bool   `json:"isActive"`
	// ISO 8601, UTC.
	ExpiresAt        *string           `json:"expiresAt"`
	RateLimitConfigs *RateLimitConfigs `json:"rateLimitConfigs"`
	// The client that the key was created for, as sent when the key was created. For an imported key, the
	// import.
	CreationContext map[string]string `json:"creationContext"`
	// Hosts from which the key may be used, checked against the header `x-origin-domain`.
	AllowedDomains []string `json:"allowedDomains"`
	// Only if the key has any.
	Permissions []string       `json:"permissions"`
	Credits     map[string]any `json:"credits"`
	// Only if the key has `limits`. `rateLimitConfigs` is then listed too, with the name `default`.
	RateLimits []map[string]any `json:"rateLimits"`
}

// APIKey is the record of a key as the management API shows it.
type APIKey struct {
	KeyRecord
	// Id of the plan: `pln_…`. Default: that of its customer or project.
	PlanID *string `json:"planId"`
	// Limits that apply besides `rateLimitConfigs`.
	Limits []map[string]any `json:"limits"`
	// IP addresses and CIDR ranges from which the key may be used, checked against `clientIP` of a validation.
	AllowedIPs []string `json:"allowedIPs"`
	// ISO 8601, UTC.
	StartsAt *string `json:"startsAt"`
	// Labels to filter by, of `a-z 0-9 . _ -`.
	Tags []string `json:"tags"`
	// ISO 8601, UTC.
	FirstUsedAt *string `json:"firstUsedAt"`
	// ISO 8601, UTC.
	LastUsedAt *string `json:"lastUsedAt"`
	// Id of the key that this one replaces, if it came from a rotation: `key_…`.
	RotatedFrom *string `json:"rotatedFrom"`
	// Id of the key that replaces this one, if it was rotated: `key_…`.
	RotatedTo *string `json:"rotatedTo"`
}

// CreateKey is a request to create a key. Empty fields are not sent.
type CreateKey struct {
	// Who uses the key and for what, for example “Acme, production”.
	Name string `json:"name"`
	// Id of the project of the key: `prj_…`.
	ProjectID string `json:"projectId,omitempty"`
	// Your own value for the key: 8 to 256 characters of `A-Z a-z 0-9 . _ ~ -`.
	Key string `json:"key,omitempty"`
	// Any JSON object, up to 16 KB and 32 levels deep.
	CustomMetaData map[string]any `json:"customMetaData,omitempty"`
	// Your own id of the customer that the key belongs to. Keys with the same id share the settings, credits and
	// `customer` limits of that customer.
	CustomAccountID string `json:"customAccountId,omitempty"`
	// Your own id of the user of the key. Only for filters and search.
	CustomUserID string `json:"customUserId,omitempty"`
	// When the key expires. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`; UTC unless it has an
	// offset.
	Expiry string `json:"expiry,omitempty"`
	// The same as `expiry`: the name in records. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`; UTC
	// unless it has an offset.
	ExpiresAt        string            `json:"expiresAt,omitempty"`
	RateLimitConfigs *RateLimitConfigs `json:"rateLimitConfigs,omitempty"`
	// Hosts from which the key may be used, checked against the header `x-origin-domain`.
	AllowedDomains []string `json:"allowedDomains,omitempty"`
	// Id of the plan: `pln_…`. Default: that of its customer or project.
	PlanID string `json:"planId,omitempty"`
	// What the key may do. Segments of `A-Z a-z 0-9 _ -`, joined by `.` or `:`. `documents.*` grants everything
	// that begins with `documents.`, and `*` grants everything.
	Permissions []string `json:"permissions,omitempty"`
	// Up to 8 limits. A request must fit into all of them.
	Limits []map[string]any `json:"limits,omitempty"`
	// IP addresses and CIDR ranges from which the key may be used, checked against `clientIP` of a validation.
	AllowedIPs []string `json:"allowedIPs,omitempty"`
	// Prepaid requests of this key. Without them, the credits of its customer or its plan apply. Needs the scope
	// `credits:write` too.
	Credits map[string]any `json:"credits,omitempty"`
	// The key is refused before this time. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`; UTC unless
	// it has an offset.
	StartsAt string `json:"startsAt,omitempty"`
	// Labels to filter by, of `a-z 0-9 . _ -`.
	Tags            []string `json:"tags,omitempty"`
	ClientIP        string   `json:"clientIP,omitempty"`
	ClientUserAgent string   `json:"clientUserAgent,omitempty"`
	// IdempotencyKey makes a repeated call return the first result. By default it is random.
	IdempotencyKey string `json:"-"`
}

// KeyToValidate is a value in a batch, with requirements for this key alone.
type KeyToValidate struct {
	// The value to validate.
	Key         string `json:"key"`
	Permissions any    `json:"permissions,omitempty"`
	Cost        any    `json:"cost,omitempty"`
	// What the request is about: selects the limits that apply, by their `for`. It comes from your own routes,
	// never from a header or the path that your user sent.
	Resource string `json:"resource,omitempty"`
}

// WebhookActor is the customer that made a change in the portal.
type WebhookActor struct {
	Type            string `json:"type"`
	CustomAccountID string `json:"customAccountId"`
}

// WebhookEvent is the payload of a delivery.
type WebhookEvent struct {
	// Id of the event; the same on every attempt: `evt_…`.
	ID string `json:"id"`
	// The topic, such as `api-key.created`.
	Type string `json:"type"`
	// ISO 8601, UTC.
	Timestamp string `json:"timestamp"`
	// Id of the account: `acc_…`.
	AccountID string `json:"accountId"`
	// Id of the project; null if the event belongs to none: `prj_…`.
	ProjectID *string `json:"projectId"`
	// Only if a customer made the change in the portal.
	Actor *WebhookActor `json:"actor,omitempty"`
	// Its fields depend on the topic.
	Data json.RawMessage `json:"data"`
}

// AccessKey is an access key, as in the data of an event.
type AccessKey struct {
	// Id of the access key: `ak_…`.
	ID string `json:"id"`
	// A name for display.
	Name string `json:"name"`
	// The value of the access key. Shown in full only in the response that creates it, and masked in all others.
	Key string `json:"key"`
	// Id of its account: `acc_…`.
	AccountID string `json:"accountId"`
	// Id of its project (`null`: the whole account): `prj_…`.
	ProjectID *string `json:"projectId"`
	// The permissions of the access key. `*`, the default, allows everything in its account or project.
	Scopes   []string `json:"scopes"`
	IsActive bool     `json:"isActive"`
	// ISO 8601, UTC.
	ExpiresAt        *string           `json:"expiresAt"`
	RateLimitConfigs *RateLimitConfigs `json:"rateLimitConfigs"`
	// ISO 8601, UTC.
	LastUsedAt *string `json:"lastUsedAt"`
	// ISO 8601, UTC.
	CreatedAt string `json:"createdAt"`
	// ISO 8601, UTC.
	UpdatedAt string `json:"updatedAt"`
	// Id of the key that this one replaces, if it came from a rotation: `ak_…`.
	RotatedFrom *string `json:"rotatedFrom"`
	// Id of the key that replaces this one, if it was rotated: `ak_…`.
	RotatedTo *string `json:"rotatedTo"`
}

// Customer is a customer, as in the data of an event.
type Customer struct {
	// Id of the customer: `cus_…`.
	ID string `json:"id"`
	// Id of its project: `prj_…`.
	ProjectID string `json:"projectId"`
	// Your own id of the customer: the `customAccountId` of its keys.
	CustomAccountID string `json:"customAccountId"`
	// A name for display.
	Name *string `json:"name"`
	// For display. Keyward sends nothing to this address.
	Email *string `json:"email"`
	// Id of the plan: `pln_…`. Keys with a plan of their own keep it.
	PlanID *string `json:"planId"`
	// Any JSON object, up to 16 KB and 32 levels deep.
	CustomMetaData map[string]any `json:"customMetaData"`
	// Labels to filter by, of `a-z 0-9 . _ -`.
	Tags []string `json:"tags"`
	// ISO 8601, UTC.
	Anchor *string `json:"anchor"`
	// What the key may do. Segments of `A-Z a-z 0-9 _ -`, joined by `.` or `:`. `documents.*` grants everything
	// that begins with `documents.`, and `*` grants everything.
	Permissions []string `json:"permissions"`
	// Limits that apply besides `rateLimitConfigs`.
	Limits []map[string]any `json:"limits"`
	// IP addresses and CIDR ranges from which the key may be used, checked against `clientIP` of a validation.
	AllowedIPs []string       `json:"allowedIPs"`
	Credits    map[string]any `json:"credits"`
	// ISO 8601, UTC.
	CreatedAt string `json:"createdAt"`
	// ISO 8601, UTC.
	UpdatedAt string `json:"updatedAt"`
}

// Plan is a plan, as in the data of an event.
type Plan struct {
	// Id of the plan: `pln_…`.
	ID string `json:"id"`
	// Id of its project: `prj_…`.
	ProjectID string `json:"projectId"`
	// A name for display.
	Name string `json:"name"`
	// What the key may do. Segments of `A-Z a-z 0-9 _ -`, joined by `.` or `:`. `documents.*` grants everything
	// that begins with `documents.`, and `*` grants everything.
	Permissions []string `json:"permissions"`
	// Limits that apply besides `rateLimitConfigs`.
	Limits []map[string]any `json:"limits"`
	// IP addresses and CIDR ranges from which the key may be used, checked against `clientIP` of a validation.
	AllowedIPs []string       `json:"allowedIPs"`
	Credits    map[string]any `json:"credits"`
	// ISO 8601, UTC.
	CreatedAt string `json:"createdAt"`
	// ISO 8601, UTC.
	UpdatedAt string `json:"updatedAt"`
}

// Project is a project, as in the data of an event.
type Project struct {
	// Id of the project: `prj_…`.
	ID string `json:"id"`
	// A name for display.
	Name string `json:"name"`
	// Id of its account: `acc_…`.
	AccountID string `json:"accountId"`
	// The environment of its keys; cannot be changed later.
	Env string `json:"env"`
	// What new key values of the project begin with. One or two lower-case words, each followed by `_`. Null:
	// `live_` or `test_`. Existing values do not change.
	KeyPrefix *string `json:"keyPrefix"`
	// Id of the plan: `pln_…`. It applies if neither the key nor its customer has one.
	DefaultPlanID *string `json:"defaultPlanId"`
	// What requests can cost besides `requests` and `credits`, such as `tokens`. Limits count one of them.
	Units []string `json:"units"`
	// Usage is also counted by these resources: each request under the first that matches, else as `other`.
	// Write `POST:/v1/chat`, or `POST:/v1/*` for all that begin with it.
	Resources []string       `json:"resources"`
	Branding  map[string]any `json:"branding"`
	// Sites that may embed the portal page, use `keyward/react`, or be the `returnUrl` of a session.
	PortalOrigins []string `json:"portalOrigins"`
	// What happens when the value of one of its keys or access keys is reported as leaked: an event only, or the
	// key is also revoked.
	OnLeak      string         `json:"onLeak"`
	Notices     map[string]any `json:"notices"`
	UsageEvents map[string]any `json:"usageEvents"`
	IsActive    bool           `json:"isActive"`
	// Id of the user or access key, or `operator` for the CLI.
	CreatedBy     string `json:"createdBy"`
	CreatedByType string `json:"createdByType"`
	// `api`, `dashboard`, `cli` or `setup`.
	CreatedIn         string `json:"createdIn"`
	LastChangedBy     string `json:"lastChangedBy"`
	LastChangedByType string `json:"lastChangedByType"`
	// ISO 8601, UTC.
	CreatedAt string `json:"createdAt"`
	// ISO 8601, UTC.
	UpdatedAt string `json:"updatedAt"`
}
