/** How to protect an API, by framework: what `npx keyward init` prints. */
export interface Framework {
  readonly label: string;
  /** The dependency in package.json, requirements or go.mod that shows its use. */
  readonly found: string;
  readonly install: string;
  /** The file that the code may become, or be added to. */
  readonly file: string;
  readonly code: string;
}

const SDK = 'npm install keyward';

const client = (module: string): string => `import { Keyward } from 'keyward';
import { protect } from 'keyward/${module}';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL,
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});
`;

const PYTHON_CLIENT = `import os
from keyward import Keyward

keyward = Keyward(os.environ["KEYWARD_URL"], os.environ["KEYWARD_ACCESS_KEY"])
`;
const PYTHON_INSTALL =
  'pip install "git+https://github.com/keyward/keyward@v1.0.0#subdirectory=clients/python"';

/** The first whose dependency is found is proposed; the frameworks built on others come first. */
export const FRAMEWORKS = {
  nest: {
    label: 'NestJS',
    found: '@nestjs/core',
    install: SDK,
    file: 'app.controller.ts',
    code: `import { Controller, Get, Req, UseGuards } from '@nestjs/common';
${client('nest')}
@Controller()
@UseGuards(protect(keyward))
export class AppController {
  @Get('hello')
  hello(@Req() request: { keyward: { record: { name: string } } }) {
    return { hello: request.keyward.record.name };
  }
}
`,
  },
  next: {
    label: 'Next.js',
    found: 'next',
    install: SDK,
    file: 'app/hello/route.ts',
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
    install: SDK,
    file: 'api.mjs',
    code: `import { Hono } from 'hono';
${client('hono')}
const app = new Hono();
app.use(protect(keyward));
app.get('/hello', (c) => c.json({ hello: c.get('keyward').record?.name }));
export default app;
`,
  },
  express: {
    label: 'Express',
    found: 'express',
    install: SDK,
    file: 'api.mjs',
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
    install: PYTHON_INSTALL,
    file: 'api.py',
    code: `${PYTHON_CLIENT}
from fastapi import Depends, FastAPI, Header, HTTPException


def caller(x_api_key: str = Header(default="")):
    result = keyward.validate(x_api_key)
    if not result.valid:
        raise HTTPException(401 if result.status == 404 else result.status, "Invalid API key")
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
    install: PYTHON_INSTALL,
    file: 'api.py',
    code: `${PYTHON_CLIENT}
from flask import Flask, abort, g, request

app = Flask(__name__)


@app.before_request
def require_key():
    result = keyward.validate(request.headers.get("x-api-key", ""))
    if not result.valid:
        abort(401 if result.status == 404 else result.status)
    g.record = result.record


@app.get("/hello")
def hello():
    return {"hello": g.record["name"]}
`,
  },
  node: {
    label: 'Node.js without a framework',
    found: '',
    install: SDK,
    file: 'api.mjs',
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
