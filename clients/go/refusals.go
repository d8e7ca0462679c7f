// Code generated from rules/src/outcomes.ts by `npm run openapi`; DO NOT EDIT.

package keyward

// Why a key is refused, with the status of each code. Any other failure is not about the key.
var refusals = map[string]int{
	"key_not_found":        404,
	"key_malformed":        404,
	"key_revoked":          404,
	"key_expired":          404,
	"key_not_started":      404,
	"key_project_inactive": 404,
	"domain_denied":        403,
	"ip_denied":            403,
	"permission_denied":    403,
	"rate_limited":         429,
	"credits_exhausted":    429,
}
