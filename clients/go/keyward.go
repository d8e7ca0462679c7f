// Package keyward is a client of Keyward: it validates, creates and rotates API keys, and verifies
// webhooks.
//
//	client, err := keyward.New(keyward.Config{URL: "unix:/run/keyward/edge.sock", AccessKey: accessKey})
//	result, err := client.Validate(ctx, value, keyward.Requirements{Permissions: "documents.read"})
//	if err != nil { … } // no verdict: Keyward is unavailable, or the client is configured wrongly
//	if result.Valid { … }
package keyward

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/url"
	"time"
)

// Client calls one server or edge. It is safe for concurrent use. While Keyward does not respond, validations
// fail at once, with the code "unavailable".
type Client struct {
	transport   *transport
	validations *validationCalls
	timeout     time.Duration
}

// New checks the configuration. It does not connect.
func New(config Config) (*Client, error) {
	transport, err := newTransport(config)
	if err != nil {
		return nil, err
	}
	timeout, validationTimeout := config.Timeout, config.ValidationTimeout
	if validationTimeout == 0 {
		validationTimeout = timeout
	}
	if validationTimeout == 0 {
		validationTimeout = time.Second
	}
	if timeout == 0 {
		timeout = 5 * time.Second
	}
	validations := &validationCalls{transport: transport, timeout: validationTimeout, batchTimeout: timeout, started: time.Now()}
	return &Client{transport, validations, timeout}, nil
}

// Validate validates a key and counts its use. The error says why there is no verdict; the result is
// then not valid.
func (c *Client) Validate(ctx context.Context, key string, needs Requirements) (Validation, error) {
	if !canBeKey(key) {
		return malformed, nil
	}
	body := map[string]any{"key": key}
	needs.addTo(body)
	if cost := costOr(needs.Cost, nil); cost != nil {
		body["cost"] = cost
	}
	response, err := c.validations.post(ctx, body, needs.header(), key)
	if err != nil {
		return Validation{}, err
	}
	return verdictOf(response)
}

// ValidateMany validates any number of keys, in calls of up to 1,000. The results have the order of
// keys. Requirements apply to every key, their cost to keys without a KeyToValidate.Cost.
func (c *Client) ValidateMany(ctx context.Context, keys []KeyToValidate, needs Requirements) ([]Validation, error) {
	results := make([]Validation, len(keys))
	var indexes []int // positions in keys of the keys that are sent
	var sent []KeyToValidate
	for at, key := range keys {
		results[at] = malformed
		if canBeKey(key.Key) {
			key.Cost = costOr(key.Cost, costOr(needs.Cost, nil))
			indexes = append(indexes, at)
			sent = append(sent, key)
		}
	}
	for len(sent) > 0 {
		count := batchSize(sent)
		verdicts, err := c.validateBatch(ctx, sent[:count], needs)
		if err != nil {
			return nil, err
		}
		for i, at := range indexes[:count] {
			results[at] = verdicts[i]
		}
		indexes, sent = indexes[count:], sent[count:]
	}
	return results, nil
}

// validateBatch halves the batch if the records of its keys are too large for one response. The server has
// counted none of the keys in that case.
func (c *Client) validateBatch(ctx context.Context, keys []KeyToValidate, needs Requirements) ([]Validation, error) {
	body := map[string]any{"keys": keys}
	needs.addTo(body)
	response, err := c.validations.postBatch(ctx, body, needs.header(), keys[0].Key)
	if err != nil {
		return nil, err
	}
	if response.status != http.StatusRequestEntityTooLarge || response.failure().Code != "batch_too_large" || len(keys) == 1 {
		return verdictsOf(response, len(keys))
	}
	half := len(keys) / 2
	first, err := c.validateBatch(ctx, keys[:half], needs)
	if err != nil {
		return nil, err
	}
	second, err := c.validateBatch(ctx, keys[half:], needs)
	return append(first, second...), err
}

// CreateKey creates a key. Its value is in this result only. An edge cannot create keys.
func (c *Client) CreateKey(ctx context.Context, fields CreateKey) (*APIKey, error) {
	return c.create(ctx, "/api-keys", fields, fields.IdempotencyKey)
}

// RotateKey replaces a key, given by value or id. The old value works for graceSeconds. An edge cannot
// rotate keys.
func (c *Client) RotateKey(ctx context.Context, key string, graceSeconds int) (*APIKey, error) {
	if key == "" {
		return nil, &Error{Code: "invalid_path", Message: "The key must be a value or an id."}
	}
	body := map[string]any{"graceSeconds": graceSeconds}
	return c.create(ctx, "/api-keys/"+url.PathEscape(key)+"/rotate", body, "")
}

func (c *Client) create(ctx context.Context, path string, body any, idempotencyKey string) (*APIKey, error) {
	if idempotencyKey == "" {
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			return nil, err
		}
		idempotencyKey = hex.EncodeToString(random)
	}
	response, err := c.transport.post(ctx, path, body, http.Header{"Idempotency-Key": {idempotencyKey}}, c.timeout, c.transport.retries)
	if err != nil {
		return nil, err
	}
	var key APIKey
	if response.status != http.StatusCreated || !response.decode(&key) {
		return nil, response.failure()
	}
	return &key, nil
}
