// Package breaker refuses requests at once while the server does not respond.
//
//   - closed: all requests are sent. A timeout opens the breaker, because its caller has waited long enough for
//     all others; so does the fifth failure in a row (no connection, or a 502, 503 or 504).
//   - open: all requests are refused, until a second after the last request was sent, or for as long as its
//     Retry-After says.
//   - halfOpen: the next request causes a probe, and is refused like all others while that is under way. If
//     requests are rare, it is the probe itself. The result closes the breaker, or opens it again.
//
// Each change of the state begins a round. Results of requests of earlier rounds are ignored. Times are on a
// monotonic clock. sdk/test/breaker-cases.ts tests the breakers of all languages.
package breaker

import (
	"sync"
	"time"
)

const (
	failuresMax = 5
	// While the breaker is open, the server gets at most one request in this time.
	probeEvery = time.Second
	// A longer Retry-After is not believed: the server may be well again before.
	retryAfterMax = 30 * time.Second
	// If the last probe could have been sent longer ago, requests are rare, and the next one waits for its result.
	rare = 5 * time.Second
	// A probe whose result was not recorded by then is forgotten.
	probeMax = 10 * time.Second
)

// Outcome is how a request ended: the status of its response, or one of these.
type Outcome int

const (
	Unreachable Outcome = -1
	TimedOut    Outcome = -2
	// Cancelled by the caller, so it says nothing about the server.
	Cancelled Outcome = -3
)

// Decision about a request. Probe: refuse it, and send a request without effect in its place.
type Decision string

const (
	// Send the request.
	Send   Decision = "send"
	Probe  Decision = "probe"
	Refuse Decision = "refuse"
)

// Admission is the decision about one request, to be passed to Record.
type Admission struct {
	Decision Decision
	at       time.Duration
	round    int
}

type state int

const (
	closed state = iota
	open
	halfOpen
)

// Breaker is closed at first. It is safe for concurrent use.
type Breaker struct {
	mutex    sync.Mutex
	state    state
	round    int
	failures int
	// until is, if open, when the next probe may be sent; if halfOpen, when the probe is forgotten.
	until time.Duration
}

// Admit decides about a request.
func (b *Breaker) Admit(now time.Duration) Admission {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.state == closed {
		return Admission{Send, now, b.round}
	}
	if now < b.until {
		return Admission{Refuse, now, b.round}
	}
	decision := Probe
	if b.state == open && now-b.until > rare {
		decision = Send
	}
	b.enter(halfOpen, now+probeMax)
	return Admission{decision, now, b.round}
}

// Record is called once for each admission, unless it refused.
func (b *Breaker) Record(from Admission, result Outcome, now, retryAfter time.Duration) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if from.round != b.round {
		return
	}
	isProbe := b.state == halfOpen
	switch result {
	case Cancelled:
		if isProbe {
			b.enter(open, now)
		}
	case Unreachable, TimedOut, 502, 503, 504:
		b.failures++
		if retryAfter > retryAfterMax {
			retryAfter = retryAfterMax
		}
		until := from.at + probeEvery
		if now+retryAfter > until {
			until = now + retryAfter
		}
		if isProbe || result == TimedOut || b.failures >= failuresMax {
			b.enter(open, until)
		}
	default:
		b.failures = 0
		if isProbe {
			b.enter(closed, 0)
		}
	}
}

// Wait is how long requests will be refused, as far as is known.
func (b *Breaker) Wait(now time.Duration) time.Duration {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.state != open || now > b.until {
		return 0
	}
	return b.until - now
}

func (b *Breaker) enter(next state, until time.Duration) {
	b.state = next
	b.until = until
	b.round++
}
