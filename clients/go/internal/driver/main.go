// Calls the client as the tests ask for: one JSON object per line in, and one per line out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	keyward "github.com/keyward/keyward/clients/go"
	"github.com/keyward/keyward/clients/go/internal/breaker"
)

type arguments struct {
	URL               string                  `json:"url"`
	AccessKey         string                  `json:"accessKey"`
	Timeout           float64                 `json:"timeout"`
	ValidationTimeout float64                 `json:"validationTimeout"`
	Retries           int                     `json:"retries"`
	Key               string                  `json:"key"`
	Keys              []keyward.KeyToValidate `json:"keys"`
	Permissions       any                     `json:"permissions"`
	ClientIP          string                  `json:"clientIP"`
	OriginDomain      string                  `json:"originDomain"`
	Cost              any                     `json:"cost"`
	Resource          string                  `json:"resource"`
	Fields            keyward.CreateKey       `json:"fields"`
	IdempotencyKey    string                  `json:"idempotencyKey"`
	GraceSeconds      int                     `json:"graceSeconds"`
	Body              string                  `json:"body"`
	Headers           map[string]string       `json:"headers"`
	Secrets           []string                `json:"secrets"`
	Now               int64                   `json:"now"`
	Steps             []breakerStep           `json:"steps"`
}

// breakerStep is a request, which has Admit, or the result of one.
type breakerStep struct {
	At           int64  `json:"at"`
	Admit        string `json:"admit"`
	Result       any    `json:"result"`
	Of           int    `json:"of"`
	RetryAfterMs int64  `json:"retryAfterMs"`
}

func decisions(steps []breakerStep) []breaker.Decision {
	outcomes := map[any]breaker.Outcome{
		"unreachable": breaker.Unreachable, "timeout": breaker.TimedOut, "cancelled": breaker.Cancelled,
	}
	var tested breaker.Breaker
	var admissions []breaker.Admission
	var all []breaker.Decision
	for _, step := range steps {
		at := time.Duration(step.At) * time.Millisecond
		if step.Admit != "" {
			admissions = append(admissions, tested.Admit(at))
			all = append(all, admissions[len(admissions)-1].Decision)
			continue
		}
		outcome := outcomes[step.Result]
		if status, isStatus := step.Result.(float64); isStatus {
			outcome = breaker.Outcome(status)
		}
		tested.Record(admissions[step.Of], outcome, at, time.Duration(step.RetryAfterMs)*time.Millisecond)
	}
	return all
}

var client *keyward.Client

func call(method string, args arguments) (any, error) {
	ctx := context.Background()
	needs := keyward.Requirements{Permissions: args.Permissions, ClientIP: args.ClientIP, OriginDomain: args.OriginDomain, Cost: args.Cost, Resource: args.Resource}
	switch method {
	case "connect":
		made, err := keyward.New(keyward.Config{
			URL: args.URL, AccessKey: args.AccessKey, Retries: args.Retries,
			Timeout:           time.Duration(args.Timeout * float64(time.Second)),
			ValidationTimeout: time.Duration(args.ValidationTimeout * float64(time.Second)),
		})
		client = made
		return nil, err
	case "replaceDefaultTransport":
		http.DefaultTransport = struct{ http.RoundTripper }{http.DefaultTransport}
		return nil, nil
	case "validate":
		result, err := client.Validate(ctx, args.Key, needs)
		return shown(result), err
	case "validateMany":
		results, err := client.ValidateMany(ctx, args.Keys, needs)
		all := make([]any, len(results))
		for i, each := range results {
			all[i] = shown(each)
		}
		return all, err
	case "create":
		args.Fields.IdempotencyKey = args.IdempotencyKey
		return client.CreateKey(ctx, args.Fields)
	case "rotate":
		return client.RotateKey(ctx, args.Key, args.GraceSeconds)
	case "verify":
		header := http.Header{}
		for name, value := range args.Headers {
			header.Set(name, value)
		}
		return keyward.VerifyWebhook([]byte(args.Body), header, time.Unix(args.Now, 0), args.Secrets...)
	case "breaker":
		return decisions(args.Steps), nil
	}
	return nil, fmt.Errorf("unknown method %s", method)
}

func shown(result keyward.Validation) map[string]any {
	return map[string]any{
		"valid": result.Valid, "code": result.Code, "status": result.Status, "record": result.Record,
		"rateLimit": result.RateLimit, "missing": append([]string{}, result.Missing...), "limit": result.Limit,
		"retryAfter": result.RetryAfter.Seconds(),
	}
}

func answer(line []byte) map[string]any {
	var request struct {
		Method string    `json:"method"`
		Args   arguments `json:"args"`
	}
	if err := json.Unmarshal(line, &request); err != nil {
		panic(err)
	}
	result, err := call(request.Method, request.Args)
	var failed *keyward.Error
	var forged *keyward.WebhookError
	switch {
	case errors.As(err, &failed):
		return map[string]any{"error": map[string]any{
			"code": failed.Code, "message": failed.Error(), "status": failed.Status, "isUnavailable": failed.Unavailable(),
		}}
	case errors.As(err, &forged):
		return map[string]any{"error": map[string]any{"code": forged.Code, "message": forged.Error()}}
	case err != nil:
		return map[string]any{"error": map[string]any{"code": "invalid", "message": err.Error()}}
	}
	return map[string]any{"result": result}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := output.Encode(answer(lines.Bytes())); err != nil {
			panic(err)
		}
	}
}
