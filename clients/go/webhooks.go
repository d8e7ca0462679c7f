package keyward

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookTolerance is the maximum difference between the time of a delivery and that of verification.
const WebhookTolerance = 5 * time.Minute

// WebhookError says why a request is not a valid delivery: respond with 400 and ignore it. Code is
// "headers_missing", "timestamp_invalid" (not a timestamp), "timestamp_too_old", "timestamp_too_new",
// "signature_invalid", or "body_invalid" (signed, but not JSON).
type WebhookError struct {
	Code    string
	Message string
}

func (e *WebhookError) Error() string { return "keyward: " + e.Message }

// VerifyWebhook verifies the signature (Standard Webhooks) and the time of a delivery, and returns its
// event. The body is the raw one: the signature covers its bytes. With several secrets, one must match.
func VerifyWebhook(body []byte, header http.Header, now time.Time, secrets ...string) (*WebhookEvent, error) {
	id, timestamp, signatures := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp"), header.Get("Webhook-Signature")
	if id == "" || timestamp == "" || signatures == "" {
		return nil, &WebhookError{"headers_missing", "The request has no webhook signature headers."}
	}
	if err := checkTime(timestamp, now); err != nil {
		return nil, err
	}
	matches := false
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, errors.New("keyward: a secret must be whsec_ followed by base64")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := mac.Sum(nil)
		for _, signature := range strings.Split(signatures, " ") {
			given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signature, "v1,"))
			if err == nil && strings.HasPrefix(signature, "v1,") && hmac.Equal(given, expected) {
				matches = true
			}
		}
	}
	if !matches {
		return nil, &WebhookError{"signature_invalid", "No signature matches the body and the secret."}
	}
	return eventOf(body)
}

func checkTime(timestamp string, now time.Time) error {
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return &WebhookError{"timestamp_invalid", "The timestamp of the delivery is not a number."}
	}
	age := now.Sub(time.Unix(int64(seconds), 0))
	if age > WebhookTolerance {
		return &WebhookError{"timestamp_too_old", "The delivery is too old; it may be a replay attack."}
	}
	if age < -WebhookTolerance {
		return &WebhookError{"timestamp_too_new", "The timestamp of the delivery is in the future. Check the clocks."}
	}
	return nil
}

// cloudEventPrefix precedes the topic in the type of a CloudEvent.
const cloudEventPrefix = "io.github.keyward."

// eventOf returns CloudEvents in the same form as other events.
func eventOf(body []byte) (*WebhookEvent, error) {
	var event WebhookEvent
	var cloud struct {
		SpecVersion   string  `json:"specversion"`
		Time          string  `json:"time"`
		AccountID     string  `json:"accountid"`
		ProjectID     *string `json:"projectid"`
		ActorType     string  `json:"actortype"`
		ActorCustomer string  `json:"actorcustomer"`
	}
	if json.Unmarshal(body, &event) != nil || json.Unmarshal(body, &cloud) != nil {
		return nil, &WebhookError{"body_invalid", "The body is signed, but it is not a JSON object."}
	}
	if cloud.SpecVersion != "" {
		event.Type = strings.TrimPrefix(event.Type, cloudEventPrefix)
		event.Timestamp, event.AccountID, event.ProjectID = cloud.Time, cloud.AccountID, cloud.ProjectID
		if cloud.ActorType != "" {
			event.Actor = &WebhookActor{cloud.ActorType, cloud.ActorCustomer}
		}
	}
	return &event, nil
}
