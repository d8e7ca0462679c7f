import 'reflect-metadata';
import type { Server } from 'node:http';
import { Controller, Get, Module, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express, { type ErrorRequestHandler } from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { protect as protectExpress } from '../../src/middleware/express.ts';
import { protect as protectFastify } from '../../src/middleware/fastify.ts';
import type { GuardOptions, KeyValidator, Protected } from '../../src/middleware/guard.ts';
import { protect as protectHono } from '../../src/middleware/hono.ts';
import { protect as protectNest } from '../../src/middleware/nest.ts';
import { protect as protectNext } from '../../src/middleware/next.ts';
import { protect as protectNode } from '../../src/middleware/node.ts';
import { listenerFor, serverOf } from './fetch-server.ts';

type HasHeaders = { readonly headers: Headers | Readonly<Record<string, unknown>> };

/** What the functions in the options are called with. */
export type AnyRequest = HasHeaders | { readonly req: { readonly raw: HasHeaders } };

export type ProtectOptions = GuardOptions<AnyRequest>;

/** A server whose `GET /hello` returns the name of the key; not yet listening. */
type ProtectedServer = (keyward: KeyValidator, options?: ProtectOptions) => Promise<Server>;

const expressServer: ProtectedServer = async (keyward, options) => {
  const app = express();
  app.use(protectExpress(keyward, options));
  app.get('/hello', (request, response) => {
    response.json({ name: request.keyward?.record?.name ?? null });
  });
  const onError: ErrorRequestHandler = (_error, _request, response, _next) => {
    response.status(500).json({});
  };
  app.use(onError);
  return serverOf(app);
};

const fastifyServer: ProtectedServer = async (keyward, options) => {
  const app = fastify();
  await app.register(protectFastify(keyward, options));
  app.get('/hello', (request) => ({ name: request.keyward.record?.name ?? null }));
  await app.ready();
  return app.server;
};

const honoServer: ProtectedServer = async (keyward, options) => {
  const app = new Hono();
  app.onError((_error, c) => c.json({}, 500));
  app.get('/hello', protectHono(keyward, options), (c) =>
    Response.json({ name: c.get('keyward').record?.name ?? null }),
  );
  return serverOf(listenerFor((request) => app.fetch(request)));
};

const nextServer: ProtectedServer = async (keyward, options) => {
  const handler = protectNext(
    keyward,
    options,
  )<Request>((_request, context) => Response.json({ name: context.keyward.record?.name ?? null }));
  const params = Promise.resolve({});
  return serverOf(
    listenerFor((request) =>
      handler(request, { params }).catch(() => Response.json({}, { status: 500 })),
    ),
  );
};

const nodeServer: ProtectedServer = async (keyward, options) =>
  serverOf(
    protectNode(
      keyward,
      options,
    )((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ name: request.keyward.record?.name ?? null }));
    }),
  );

/** Applies the decorators by hand, because the test runner does not support TypeScript's decorators. */
const nestServer: ProtectedServer = async (keyward, options) => {
  class Hello {
    hello(request: Protected<object>) {
      return { name: request.keyward.record?.name ?? null };
    }
  }
  class App {}
  const hello = Object.getOwnPropertyDescriptor(Hello.prototype, 'hello');
  Controller()(Hello);
  Get('hello')(Hello.prototype, 'hello', hello as PropertyDescriptor);
  Req()(Hello.prototype, 'hello', 0);
  Module({ controllers: [Hello] })(App);
  const app = await NestFactory.create(App, { logger: false });
  app.useGlobalGuards(protectNest(keyward, options));
  await app.init();
  return serverOf(app.getHttpAdapter().getInstance());
};

export const PROTECTED_SERVERS: [string, ProtectedServer][] = [
  ['express', expressServer],
  ['fastify', fastifyServer],
  ['hono', honoServer],
  ['next', nextServer],
  ['node', nodeServer],
  ['nest', nestServer],
];
