package keyward

import (
	"fmt"
	"time"
)

// Error is a failed call. Rely on Code, which is stable, and not on the message.
//
// Besides the codes of the server there are "unreachable", "timeout", "unavailable" (a validation that was not
// sent, because Keyward did not respond to earlier ones), and "unexpected_response": the response is not from
// Keyward, or from a version that this client does not understand.
type Error struct {
	Code    string
	Message string
	// Status is 0 when there was no response.
	Status int
	// RequestID identifies the request to the operator of the server.
	RequestID string
	// Docs is the URL of the server's page about the code.
	Docs       string
	RetryAfter time.Duration
	// Err is the cause, if there was no response.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("keyward: %s (%s): %v", e.Message, e.Code, e.Err)
	}
	return fmt.Sprintf("keyward: %s (%s)", e.Message, e.Code)
}

func (e *Error) Unwrap() error { return e.Err }

// Unavailable reports whether Keyward did not respond, or responded with a 5xx status. The call
// may have taken effect, unless Code is "unavailable".
func (e *Error) Unavailable() bool {
	return e.Status >= 500 || e.Code == "unreachable" || e.Code == "timeout" || e.Code == "unavailable"
}

// failure is the error for a response that is not the result of the call.
func (r *response) failure() *Error {
	var body struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		RequestID string `json:"requestId"`
		Docs      string `json:"docs"`
	}
	if r.status < 400 || !r.decode(&body) || body.Code == "" {
		message := fmt.Sprintf("The response is not from Keyward (status %d). Check the URL.", r.status)
		return &Error{Code: "unexpected_response", Message: message, Status: r.status, RetryAfter: r.retryAfter()}
	}
	return &Error{
		Code:       body.Code,
		Message:    body.Message,
		Status:     r.status,
		RequestID:  body.RequestID,
		Docs:       body.Docs,
		RetryAfter: r.retryAfter(),
	}
}
