/** How to protect an API, by framework: what `npx keyward init` prints. */
export interface Framework {
  readonly label: string;
  /** The dependency in package.json, requirements or go.mod that shows its use. */
  readonly found: string;
  readonly install: string;
  /** The file that the code may become, or be added to. */
  readonly file: string;
  readonly start: string;
  readonly code: string;
}

const SDK = 'npm install keyward';

const client = (module: string, names = 'protect'): string => `import { Keyward } from 'keyward';
import { ${names} } from 'keyward/${module}';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL,
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});
`;

const PYTHON_CLIENT = `import os

from keyward import Keyward, KeywardError
`;
const PYTHON_KEYWARD =
  'keyward = Keyward(os.environ["KEYWARD_URL"], os.environ["KEYWARD_ACCESS_KEY"])';
const PYTHON_INSTALL =
  'pip install "git+https://github.com/keyward/keyward@v1.0.0#subdirectory=clients/python"';

/** The first whose dependency is found is proposed; the frameworks built on others come first. */
export const FRAMEWORKS = {
  nest: {
    label: 'NestJS',
    found: '@nestjs/core',
    install: SDK,
    file: 'src/app.controller.ts',
    start: 'npm run start',
    code: `import { Controller, Get, Req, UseGuards } from '@nestjs/common';
${client('nest', 'type Protected, protect')}
@Controller()
@UseGuards(protect(keyward))
export class AppController {
  @Get('hello')
  hello(@Req() request: Protected<object>) {
    return { hello: request.keyward.record?.name };
  }
}
`,
  },
  next: {
    label: 'Next.js',
    found: 'next',
    install: SDK,
    file: 'app/hello/route.ts',
    start: 'npx next dev --port 3000',
    code: `${client('next')}
export const GET = protect(keyward)((request, { keyward }) =>
  Response.json({ hello: keyward.record?.name }),
);
`,
  },
  fastify: {
    label: 'Fastify',
    found: 'fastify',
    install: SDK,
    file: 'api.mjs',
    start: 'node api.mjs',
    code: `import { fastify } from 'fastify';
${client('fastify')}
const app = fastify();
await app.register(protect(keyward));
app.get('/hello', (request) => ({ hello: request.keyward.record?.name }));
await app.listen({ port: 3000 });
`,
  },
  hono: {
    label: 'Hono',
    found: 'hono',
    install: `${SDK} @hono/node-server`,
    file: 'api.mjs',
    start: 'node api.mjs',
    code: `import { serve } from '@hono/node-server';
import { Hono } from 'hono';
${client('hono')}
const app = new Hono();
app.use(protect(keyward));
app.get('/hello', (c) => c.json({ hello: c.get('keyward').record?.name }));
serve({ fetch: app.fetch, port: 3000 });
`,
  },
  express: {
    label: 'Express',
    found: 'express',
    install: SDK,
    file: 'api.mjs',
    start: 'node api.mjs',
    code: `import express from 'express';
${client('express')}
const app = express();
app.use(protect(keyward));
app.get('/hello', (request, response) => {
  response.json({ hello: request.keyward?.record?.name });
});
app.listen(3000);
`,
  },
  fastapi: {
    label: 'FastAPI',
    found: 'fastapi',
    install: `${PYTHON_INSTALL} fastapi uvicorn`,
    file: 'api.py',
    start: 'uvicorn api:app --port 3000',
    code: `${PYTHON_CLIENT}from fastapi import Depends, FastAPI, Header, HTTPException

${PYTHON_KEYWARD}


def caller(x_api_key: str = Header(default="")):
    try:
        result = keyward.validate(x_api_key)
    except KeywardError:  # no verdict: the key may be valid
        raise HTTPException(503, "API keys cannot be validated now")
    if not result.valid:
        raise HTTPException(401 if result.status == 404 else result.status, result.code)
    return result.record


app = FastAPI()


@app.get("/hello")
def hello(record=Depends(caller)):
    return {"hello": record["name"]}
`,
  },
  flask: {
    label: 'Flask',
    found: 'flask',
    install: `${PYTHON_INSTALL} flask`,
    file: 'api.py',
    start: 'flask --app api run --port 3000',
    code: `${PYTHON_CLIENT}from flask import Flask, abort, g, request

${PYTHON_KEYWARD}
app = Flask(__name__)


@app.before_request
def require_key():
    try:
        result = keyward.validate(request.headers.get("x-api-key", ""))
    except KeywardError:  # no verdict: the key may be valid
        abort(503)
    if not result.valid:
        abort(401 if result.status == 404 else result.status, result.code)
    g.record = result.record


@app.get("/hello")
def hello():
    return {"hello": g.record["name"]}
`,
  },
  go: {
    label: 'Go net/http',
    // In go.mod: `go 1.22`.
    found: 'go 1\\.\\d+',
    install: 'go get github.com/keyward/keyward/clients/go',
    file: 'main.go',
    start: 'go run .',
    code: `package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	keyward "github.com/keyward/keyward/clients/go"
)

type callerKey struct{}

// protect lets only requests with a valid key through.
func protect(client *keyward.Client, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := client.Validate(r.Context(), r.Header.Get("X-Api-Key"), keyward.Requirements{})
		switch {
		case err != nil: // no verdict: the key may be valid
			log.Print(err)
			http.Error(w, "API keys cannot be validated now", http.StatusServiceUnavailable)
		case result.Status == http.StatusNotFound:
			http.Error(w, result.Code, http.StatusUnauthorized)
		case !result.Valid:
			http.Error(w, result.Code, result.Status)
		default:
			next(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, result.Record)))
		}
	}
}

func hello(w http.ResponseWriter, r *http.Request) {
	record := r.Context().Value(callerKey{}).(*keyward.KeyRecord)
	fmt.Fprintf(w, "Hello, %s!\\n", record.Name)
}

func main() {
	client, err := keyward.New(keyward.Config{
		URL:       os.Getenv("KEYWARD_URL"),
		AccessKey: os.Getenv("KEYWARD_ACCESS_KEY"),
	})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/hello", protect(client, hello))
	log.Fatal(http.ListenAndServe("127.0.0.1:3000", nil))
}
`,
  },
  node: {
    label: 'Node.js without a framework',
    found: '',
    install: SDK,
    file: 'api.mjs',
    start: 'node api.mjs',
    code: `import { createServer } from 'node:http';
${client('node')}
createServer(
  protect(keyward)((request, response) => {
    response.end(JSON.stringify({ hello: request.keyward.record?.name }));
  }),
).listen(3000);
`,
  },
} as const satisfies Record<string, Framework>;

export type FrameworkName = keyof typeof FRAMEWORKS;

export const isFramework = (name: string): name is FrameworkName => Object.hasOwn(FRAMEWORKS, name);

/** `manifest`: the texts of package.json, requirements.txt, pyproject.toml and the like, joined. */
export function frameworkIn(manifest: string): FrameworkName | null {
  for (const [name, { found }] of Object.entries(FRAMEWORKS))
    if (
      found !== '' &&
      isFramework(name) &&
      new RegExp(`(?<![\\w/@-])${found}(?![\\w/-])`, 'i').test(manifest)
    )
      return name;
  return null;
}
