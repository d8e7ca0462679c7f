module github.com/keyward/keyward/examples/edge-go

go 1.19

require github.com/keyward/keyward/clients/go v0.0.0

// The client from this repository. Leave it out in your own module.
replace github.com/keyward/keyward/clients/go => ../../clients/go
