// An API whose keys are validated by an edge on the same machine.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"

	keyward "github.com/keyward/keyward/clients/go"
)

func main() {
	// No access key: the edge was started with --trust.
	client, err := keyward.New(keyward.Config{URL: setting("KEYWARD_URL", "unix:/tmp/keyward-edge.sock")})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/hello", protect(client, nil, func(key *keyward.KeyRecord) any {
		return map[string]any{"hello": key.Name}
	}))
	http.Handle("/documents", protect(client, "documents.read", func(*keyward.KeyRecord) any {
		return map[string]any{"documents": []string{}}
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:"+setting("PORT", "3000"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on port %d\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

// protect calls the handler only for a valid key with the permissions.
func protect(client *keyward.Client, permissions any, handler func(*keyward.KeyRecord) any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, _, _ := net.SplitHostPort(r.RemoteAddr)
		needs := keyward.Requirements{Permissions: permissions, ClientIP: address}
		result, err := client.Validate(r.Context(), r.Header.Get("X-Api-Key"), needs)
		if err != nil {
			// The error says nothing about the key: users must not discard their key.
			log.Printf("keys cannot be validated: %v", err)
			w.Header().Set("Retry-After", "1")
			respond(w, http.StatusServiceUnavailable, map[string]any{"code": "keyward_unavailable"})
			return
		}
		if limit := result.RateLimit; limit != nil {
			w.Header().Set("Ratelimit-Limit", strconv.Itoa(limit.Limit))
			w.Header().Set("Ratelimit-Remaining", strconv.Itoa(limit.Remaining))
			w.Header().Set("Ratelimit-Reset", strconv.FormatInt(limit.Reset, 10))
			if result.Code == "rate_limited" {
				w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(limit.RetryAfterSeconds))))
			}
		}
		switch {
		case result.Valid:
			respond(w, http.StatusOK, handler(result.Record))
		case result.Status == http.StatusNotFound:
			// The 404 is about the key and not about the path.
			respond(w, http.StatusUnauthorized, map[string]any{"code": result.Code})
		default:
			respond(w, result.Status, map[string]any{"code": result.Code})
		}
	})
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Print(err)
	}
}

func setting(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}
