package keyward

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/keyward/keyward/clients/go/internal/breaker"
)

// validationCalls sends validations, with their own timeout and through a circuit breaker. A batch has the
// timeout of other calls: it may take as long as a thousand validations.
type validationCalls struct {
	transport    *transport
	breaker      breaker.Breaker
	timeout      time.Duration
	batchTimeout time.Duration
	// started is the origin of the monotonic times of the breaker.
	started time.Time
}

// post sends the validation of a key.
func (v *validationCalls) post(ctx context.Context, body map[string]any, header http.Header, key string) (*response, error) {
	return v.postWithin(ctx, v.timeout, body, header, key)
}

// postBatch sends the validation of several keys, of which key is one.
func (v *validationCalls) postBatch(ctx context.Context, body map[string]any, header http.Header, key string) (*response, error) {
	return v.postWithin(ctx, v.batchTimeout, body, header, key)
}

// postWithin fails at once, without a request, while the breaker is open.
func (v *validationCalls) postWithin(ctx context.Context, timeout time.Duration, body map[string]any, header http.Header, key string) (*response, error) {
	now := v.now()
	admission := v.breaker.Admit(now)
	switch admission.Decision {
	case breaker.Send:
		return v.send(ctx, admission, body, header, timeout, v.transport.retries)
	case breaker.Probe:
		go func() {
			// Nobody waits for its result, so it consumes nothing.
			body := map[string]any{"key": key, "cost": 0}
			_, _ = v.send(context.Background(), admission, body, Requirements{}.header(), v.timeout, 0)
		}()
	}
	return nil, &Error{
		Code:       "unavailable",
		Message:    "Keyward did not respond to earlier validations, so this one was not sent.",
		RetryAfter: v.breaker.Wait(now),
	}
}

func (v *validationCalls) send(ctx context.Context, admission breaker.Admission, body map[string]any, header http.Header, timeout time.Duration, retries int) (*response, error) {
	outcome := breaker.Cancelled
	var retryAfter time.Duration
	// Deferred, so that a panic does not leave the breaker without the result of its probe.
	defer func() { v.breaker.Record(admission, outcome, v.now(), retryAfter) }()
	response, err := v.transport.post(ctx, "/api-keys/auth", body, header, timeout, retries)
	var failed *Error
	switch {
	case err == nil:
		outcome, retryAfter = breaker.Outcome(response.status), response.retryAfter()
	case ctx.Err() != nil: // The caller has cancelled the call, or its own deadline is over.
	case errors.As(err, &failed) && failed.Code == "timeout":
		outcome = breaker.TimedOut
	case errors.As(err, &failed):
		outcome = breaker.Unreachable
	}
	return response, err
}

func (v *validationCalls) now() time.Duration { return time.Since(v.started) }
