module github.com/keyward/keyward/clients/go

go 1.19
