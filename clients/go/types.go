package keyward

// A test compares the fields of these records with docs/openapi.json.

// RateLimitConfigs is the limit of a key: RateLimit requests in RateLimitTTL seconds.
type RateLimitConfigs struct {
	RateLimit    int `json:"rateLimit"`
	RateLimitTTL int `json:"rateLimitTtl"`
}

// KeyRecord is the record of a validated key.
type KeyRecord struct {
	ID        string `json:"id"`
	ProjectID string `json:"projectId"`
	// Key is the value: whole only in the response that creates it, and masked in all others.
	Key              string            `json:"key"`
	Name             string            `json:"name"`
	CustomMetaData   map[string]any    `json:"customMetaData"`
	CustomAccountID  *string           `json:"customAccountId"`
	CustomUserID     *string           `json:"customUserId"`
	Env              string            `json:"env"`
	CreatedAt        string            `json:"createdAt"`
	UpdatedAt        string            `json:"updatedAt"`
	IsActive         bool              `json:"isActive"`
	ExpiresAt        *string           `json:"expiresAt"`
	RateLimitConfigs *RateLimitConfigs `json:"rateLimitConfigs"`
	CreationContext  map[string]string `json:"creationContext"`
	AllowedDomains   []string          `json:"allowedDomains"`
	Permissions      []string          `json:"permissions"`
	Credits          map[string]any    `json:"credits"`
	RateLimits       []map[string]any  `json:"rateLimits"`
}

// APIKey is the record of a key as the management API shows it.
type APIKey struct {
	KeyRecord
	PlanID      *string          `json:"planId"`
	Limits      []map[string]any `json:"limits"`
	AllowedIPs  []string         `json:"allowedIPs"`
	StartsAt    *string          `json:"startsAt"`
	Tags        []string         `json:"tags"`
	FirstUsedAt *string          `json:"firstUsedAt"`
	LastUsedAt  *string          `json:"lastUsedAt"`
	RotatedFrom *string          `json:"rotatedFrom"`
	RotatedTo   *string          `json:"rotatedTo"`
}

// CreateKey has the fields of a new key. Empty fields are not sent.
type CreateKey struct {
	Name            string         `json:"name"`
	ProjectID       string         `json:"projectId,omitempty"`
	Key             string         `json:"key,omitempty"`
	CustomMetaData  map[string]any `json:"customMetaData,omitempty"`
	CustomAccountID string         `json:"customAccountId,omitempty"`
	CustomUserID    string         `json:"customUserId,omitempty"`
	// Expiry is an ISO 8601 date-time or date.
	Expiry           string            `json:"expiry,omitempty"`
	RateLimitConfigs *RateLimitConfigs `json:"rateLimitConfigs,omitempty"`
	AllowedDomains   []string          `json:"allowedDomains,omitempty"`
	PlanID           string            `json:"planId,omitempty"`
	Permissions      []string          `json:"permissions,omitempty"`
	Limits           []map[string]any  `json:"limits,omitempty"`
	AllowedIPs       []string          `json:"allowedIPs,omitempty"`
	StartsAt         string            `json:"startsAt,omitempty"`
	Tags             []string          `json:"tags,omitempty"`
	Credits          map[string]any    `json:"credits,omitempty"`
	ClientIP         string            `json:"clientIP,omitempty"`
	ClientUserAgent  string            `json:"clientUserAgent,omitempty"`
	// IdempotencyKey makes a repeated call return the first result. By default it is random.
	IdempotencyKey string `json:"-"`
}

// KeyToValidate is a value in a batch, with requirements for this key alone.
type KeyToValidate struct {
	Key         string `json:"key"`
	Permissions any    `json:"permissions,omitempty"`
	Cost        *int   `json:"cost,omitempty"`
}
