package keyward

import (
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Requirements are what a key must fulfil besides being valid.
type Requirements struct {
	// Permissions is a name, a []string of names that are all required, or a map with "all" or "any".
	Permissions any
	// ClientIP is the address of your user. Text that is not an address counts as unknown: keys with
	// allowedIPs are then refused.
	ClientIP string
	// OriginDomain is the host that your user's request comes from, for keys with allowedDomains.
	OriginDomain string
	// Cost is what a valid request consumes from limits and credits: an int or a *int, or an amount of each unit, such
	// as map[string]int{"tokens": 1200}. Nil means 1; 0 checks everything and consumes nothing.
	Cost any
	// Resource is what the request is about, such as "POST:/v1/chat": it selects the limits that apply, by their
	// `for`. Use the pattern of your route, never a header or a path that your user sent.
	Resource string
}

// RateLimit is the state of the limit of a key.
type RateLimit struct {
	Limit             int     `json:"limit"`
	Remaining         int     `json:"remaining"`
	Consumed          int     `json:"consumed"`
	Reset             int64   `json:"reset"` // UTC epoch seconds
	RetryAfterSeconds float64 `json:"retryAfterSeconds"`
}

// Validation is the verdict about a key.
type Validation struct {
	Valid bool
	// Code is "valid", or why the key is refused.
	Code string
	// Status is that of the code: 200, 403, 404 or 429.
	Status int
	// Record is nil for a refused key.
	Record *KeyRecord
	// RateLimit is nil for a key without a limit.
	RateLimit *RateLimit
	// Missing has, with permission_denied, the required permissions that the key lacks.
	Missing []string
	// Limit is, with rate_limited, the name of the limit that refused, if the key has limits.
	Limit string
	// RetryAfter is the time until the window closes (rate_limited) or until the next refill
	// (credits_exhausted). It is 0 if no refill is planned.
	RetryAfter time.Duration
}

var malformed = Validation{Code: "key_malformed", Status: 404}

// canBeKey is false for a missing key, and for values for which the server would reject the whole call, and not just the key.
func canBeKey(key string) bool {
	return key != "" && len(key) <= 4096 && utf8.ValidString(key) && !strings.Contains(key, "\x00")
}

// addTo leaves out a ClientIP that is not an address; the server then refuses keys with allowedIPs.
func (r Requirements) addTo(body map[string]any) {
	if r.Permissions != nil {
		body["permissions"] = r.Permissions
	}
	if net.ParseIP(r.ClientIP) != nil {
		body["clientIP"] = r.ClientIP
	}
	if r.Resource != "" {
		body["resource"] = r.Resource
	}
}

// costOr returns the cost, or the other one if there is none. A nil *int in it is not nil, and would be sent as null.
func costOr(cost, other any) any {
	if pointer, isPointer := cost.(*int); cost == nil || isPointer && pointer == nil {
		return other
	}
	return cost
}

// header has the origin domain, unless it cannot be a header: keys with allowedDomains are then refused.
// The nil X-Idempotency-Key is not sent; it tells net/http that the request may be repeated.
func (r Requirements) header() http.Header {
	header := http.Header{"X-Idempotency-Key": nil}
	isPrintable := func(c rune) bool { return c > ' ' && c <= '~' }
	isOther := func(c rune) bool { return !isPrintable(c) }
	if r.OriginDomain != "" && len(r.OriginDomain) <= 512 && strings.IndexFunc(r.OriginDomain, isOther) < 0 {
		header.Set("X-Origin-Domain", r.OriginDomain)
	}
	return header
}

// batchSize is how many of the keys fit into a call: 1,000, and 60,000 bytes of the 64 KB of a body.
func batchSize(keys []KeyToValidate) int {
	total := 0
	for count, key := range keys {
		text, _ := json.Marshal(key)
		total += len(text) + 1
		if count > 0 && (count == 1000 || total > 60_000) {
			return count
		}
	}
	return len(keys)
}

// verdictOf returns an error for every response that is not a verdict, such as the 404 of a proxy.
func verdictOf(response *response) (Validation, error) {
	limit := limitOf(response.header)
	var record KeyRecord
	if response.status == http.StatusOK && response.has("id", "customMetaData") && response.decode(&record) {
		return Validation{Valid: true, Code: "valid", Status: 200, Record: &record, RateLimit: limit}, nil
	}
	var refusal refusal
	if response.decode(&refusal) && refusal.Code != "" && refusals[refusal.Code] == response.status {
		return refusal.verdict(limit), nil
	}
	return Validation{}, response.failure()
}

type refusal struct {
	Code    string   `json:"code"`
	Missing []string `json:"missing"`
	Limit   string   `json:"limit"`
	Credits struct {
		NextRefillAt *time.Time `json:"nextRefillAt"`
	} `json:"credits"`
}

func (r refusal) verdict(limit *RateLimit) Validation {
	return Validation{Code: r.Code, Status: refusals[r.Code], RateLimit: limit, Missing: r.Missing, Limit: r.Limit, RetryAfter: r.retryAfter(limit)}
}

func (r refusal) retryAfter(limit *RateLimit) time.Duration {
	if r.Code == "rate_limited" && limit != nil {
		return time.Duration(limit.RetryAfterSeconds * float64(time.Second))
	}
	if r.Code != "credits_exhausted" || r.Credits.NextRefillAt == nil || r.Credits.NextRefillAt.Before(time.Now()) {
		return 0
	}
	return time.Until(*r.Credits.NextRefillAt)
}

func verdictsOf(response *response, count int) ([]Validation, error) {
	var items []struct {
		refusal
		Valid     *bool      `json:"valid"`
		Record    *KeyRecord `json:"record"`
		RateLimit *RateLimit `json:"rateLimit"`
	}
	if response.status != http.StatusOK || !response.decode(&items) || len(items) != count {
		return nil, response.failure()
	}
	verdicts := make([]Validation, count)
	for i, item := range items {
		switch {
		case item.Valid != nil && *item.Valid && item.Record != nil && item.Record.ID != "":
			verdicts[i] = Validation{Valid: true, Code: "valid", Status: 200, Record: item.Record, RateLimit: item.RateLimit}
		case item.Valid != nil && !*item.Valid && refusals[item.Code] != 0:
			verdicts[i] = item.verdict(item.RateLimit)
		default:
			return nil, response.failure()
		}
	}
	return verdicts, nil
}

func limitOf(header http.Header) *RateLimit {
	if header.Get("Ratelimit-Limit") == "" {
		return nil
	}
	number := func(name string) float64 {
		value, _ := strconv.ParseFloat(header.Get(name), 64)
		return value
	}
	return &RateLimit{
		Limit:             int(number("Ratelimit-Limit")),
		Remaining:         int(number("Ratelimit-Remaining")),
		Consumed:          int(number("Ratelimit-Consumed")),
		Reset:             int64(number("Ratelimit-Reset")),
		RetryAfterSeconds: number("Retry-After-Seconds"),
	}
}
