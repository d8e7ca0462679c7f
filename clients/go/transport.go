package keyward

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Config says where Keyward is, and how to call it.
type Config struct {
	// URL is that of a server or an edge, or "unix:" with the path of its socket.
	URL string
	// AccessKey may be empty only for an edge that was started with --trust.
	AccessKey string
	// Timeout of a call, including retries and the waits between them. Default: 5 seconds.
	Timeout time.Duration
	// ValidationTimeout is that of Validate, for which a request of your API waits. Default: Timeout, or 1
	// second if that is not set either.
	ValidationTimeout time.Duration
	// Retries is the maximum number of retries of a call. Default: 2; negative: none.
	Retries int
}

type transport struct {
	base      string
	accessKey string
	retries   int
	client    *http.Client
}

// response is a response whose body has been read.
type response struct {
	status int
	header http.Header
	body   []byte
}

func newTransport(config Config) (*transport, error) {
	t := &transport{base: strings.TrimRight(config.URL, "/"), accessKey: config.AccessKey, retries: config.Retries}
	if t.retries == 0 {
		t.retries = 2
	}
	if strings.ContainsAny(t.accessKey, " \t\r\n") {
		// The message does not quote the key.
		return nil, errors.New("keyward: the access key contains spaces or line breaks")
	}
	connections := newConnections()
	connections.MaxIdleConnsPerHost = 32
	if strings.HasPrefix(config.URL, "unix:/") {
		path := strings.TrimPrefix(config.URL, "unix:")
		t.base = "http://localhost"
		connections.Proxy = nil
		connections.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
	} else if u, err := url.Parse(config.URL); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("keyward: the URL must be an http or https address without user, query and fragment, or unix: with the path of a socket, such as unix:/run/keyward/edge.sock")
	}
	t.client = &http.Client{
		Transport: connections,
		// Following a redirect would send the access key to its target.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return t, nil
}

// newConnections has the settings of http.DefaultTransport, unless the application has replaced it with
// another type, for example to trace its requests.
func newConnections() *http.Transport {
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		return standard.Clone()
	}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}
}

// post sends a call, and repeats it up to `retries` times. It returns the response, whatever its status.
func (t *transport) post(ctx context.Context, path string, body any, header http.Header, timeout time.Duration, retries int) (*response, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for attempt := 0; ; attempt++ {
		response, err := t.attempt(ctx, path, content, header)
		if errors.Is(ctx.Err(), context.Canceled) {
			return nil, ctx.Err()
		}
		if err != nil && ctx.Err() != nil {
			// Not repeated: the server may still be processing this attempt.
			return nil, &Error{Code: "timeout", Message: "Keyward did not respond in time.", Err: err}
		}
		wait := backoff(attempt)
		if err == nil && response.retryAfter() > wait {
			wait = response.retryAfter()
		}
		deadline, _ := ctx.Deadline()
		isLast := attempt >= retries || time.Now().Add(wait).After(deadline)
		if isLast || (err == nil && !response.mayRetry()) {
			if err != nil {
				return nil, &Error{Code: "unreachable", Message: "Keyward cannot be reached.", Err: err}
			}
			return response, nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// backoff is exponential with full jitter, so that clients that failed together do not retry together.
func backoff(attempt int) time.Duration {
	random := make([]byte, 2)
	// Not math/rand, which gives every process the same numbers before Go 1.20.
	if _, err := rand.Read(random); err != nil {
		return time.Second
	}
	ceiling := math.Min(5, 0.1*math.Pow(2, float64(attempt)))
	share := float64(binary.BigEndian.Uint16(random)) / math.MaxUint16
	return time.Duration(share * ceiling * float64(time.Second))
}

func (t *transport) attempt(ctx context.Context, path string, content []byte, header http.Header) (*response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.base+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.Header = header.Clone()
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	if t.accessKey != "" {
		request.Header.Set("X-Api-Key", t.accessKey)
	}
	answer, err := t.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	return &response{answer.StatusCode, answer.Header, body}, nil
}

func (r *response) decode(into any) bool { return json.Unmarshal(r.body, into) == nil }

func (r *response) has(fields ...string) bool {
	var object map[string]json.RawMessage
	if !r.decode(&object) {
		return false
	}
	for _, field := range fields {
		if _, found := object[field]; !found {
			return false
		}
	}
	return true
}

func (r *response) mayRetry() bool {
	switch r.status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	var body struct {
		Code string `json:"code"`
	}
	// idempotency_in_flight: the attempt whose response was lost is still running.
	return r.decode(&body) && (body.Code == "management_rate_limited" || body.Code == "idempotency_in_flight")
}

// retryAfter: successful responses have retry-after-seconds too, so it counts only with Retry-After.
func (r *response) retryAfter() time.Duration {
	text := r.header.Get("Retry-After")
	if precise := r.header.Get("Retry-After-Seconds"); text != "" && precise != "" {
		text = precise
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
