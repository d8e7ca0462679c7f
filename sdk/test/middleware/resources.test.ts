import 'reflect-metadata';
import type { Server } from 'node:http';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express, { Router } from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ValidatedKey } from '../../src/generated/api-types.ts';
import { protect as protectExpress } from '../../src/middleware/express.ts';
import { protect as protectFastify } from '../../src/middleware/fastify.ts';
import type { KeyValidator } from '../../src/middleware/guard.ts';
import { protect as protectHono } from '../../src/middleware/hono.ts';
import { protect as protectNest } from '../../src/middleware/nest.ts';
import { routeResource } from '../../src/middleware/route-resource.ts';
import { serverOf } from './fetch-server.ts';
import { listening } from './listening.ts';
import { PROTECTED_SERVERS } from './protected-servers.ts';

let sent: (string | undefined)[];
beforeEach(() => {
  sent = [];
});

/** Accepts every key, and keeps the resources of the requests. */
const validator: KeyValidator = {
  validate(_, options) {
    sent.push(options?.resource);
    return { valid: true, allowed: true, record: { name: 'Ada' } as ValidatedKey, rateLimit: null };
  },
};

/** The resources that are sent for requests such as `GET /hello`. */
async function resourcesOf(server: Server, ...requests: string[]) {
  await listening(server, async (url) => {
    for (const request of requests) {
      const [method = '', path = ''] = request.split(' ');
      await fetch(url + path, { method, headers: HEADERS });
    }
  });
  return sent;
}

const HEADERS = { 'x-api-key': 'a key' };

describe.each(PROTECTED_SERVERS)('%s', (_, start) => {
  it('sends the resource of the option', async () => {
    expect(
      await resourcesOf(await start(validator, { resource: 'POST:/v1/chat' }), 'GET /hello'),
    ).toEqual(['POST:/v1/chat']);
    expect(
      await resourcesOf(await start(validator, { resource: () => 'by-function' }), 'GET /hello'),
    ).toEqual(['POST:/v1/chat', 'by-function']);
  });

  it('sends none if the option is false, or a function that returns it', async () => {
    for (const resource of [false, () => false as const] as const)
      await resourcesOf(await start(validator, { resource }), 'GET /hello');
    expect(sent).toEqual([undefined, undefined]);
  });

  it('does not start with a resource that Keyward would refuse', async () => {
    for (const resource of ['', 'a b', 'é', 'x'.repeat(129)])
      await expect(start(validator, { resource })).rejects.toThrow('`resource` must be');
  });
});

it('is the pattern of a route of Express, but of no mounted router', async () => {
  const app = express();
  const guard = protectExpress(validator);
  app.get('/things/:id', guard, (_, response) => void response.json({}));
  app.get(/^\/pattern/, guard, (_, response) => void response.json({}));
  const router = Router();
  router.get('/things/:id', guard, (_, response) => void response.json({}));
  app.use('/:tenant', router);
  app.use(guard);
  const requests = [
    'GET /things/7',
    'HEAD /THINGS/8',
    'GET /pattern',
    'GET /acme/things/7',
    'GET /',
  ];
  expect(await resourcesOf(serverOf(app), ...requests)).toEqual([
    'GET:/things/:id',
    'GET:/things/:id',
    undefined,
    undefined,
    undefined,
  ]);
});

it('is the pattern of a route of Fastify, with its prefix', async () => {
  const app = fastify();
  await app.register(protectFastify(validator));
  await app.register(
    async (scope) => {
      scope.get('/things/:id', () => ({}));
      scope.post('/files/*', () => ({}));
    },
    { prefix: '/v1' },
  );
  await app.ready();
  const requests = ['GET /v1/things/7', 'HEAD /v1/things/8', 'POST /v1/files/a/b', 'GET /unknown'];
  expect(await resourcesOf(app.server, ...requests)).toEqual([
    'GET:/v1/things/:id',
    'GET:/v1/things/:id',
    'POST:/v1/files/',
    undefined,
  ]);
});

it('is the pattern of a route of Hono, whether the guard is for it or for all', async () => {
  const app = new Hono();
  app.get('*', (_, next) => next());
  app.use('/v1/*', protectHono(validator));
  app.get('/v1/things/me', (c) => c.json({}));
  app.get('/v1/things/:id', (c) => c.json({}));
  app.post('/own/:id', protectHono(validator), (c) => c.json({}));
  app.get('*', (c) => c.json({}));
  await app.request('/v1/things/7', { headers: HEADERS });
  await app.request('/v1/things/7', { method: 'HEAD', headers: HEADERS });
  await app.request('/v1/things/me', { headers: HEADERS });
  await app.request('/own/7', { method: 'POST', headers: HEADERS });
  await app.request('/v1/unknown', { headers: HEADERS });
  expect(sent).toEqual([
    'GET:/v1/things/:id',
    'GET:/v1/things/:id',
    'GET:/v1/things/me',
    'POST:/own/:id',
    undefined,
  ]);
});

it('is the pattern of a route of Nest', async () => {
  class Things {
    one() {
      return {};
    }
  }
  class App {}
  const one = Object.getOwnPropertyDescriptor(Things.prototype, 'one');
  Controller('things')(Things);
  Get(':id')(Things.prototype, 'one', one as PropertyDescriptor);
  Module({ controllers: [Things] })(App);
  const app = await NestFactory.create(App, { logger: false });
  app.setGlobalPrefix('v1');
  app.useGlobalGuards(protectNest(validator));
  await app.init();
  const server = serverOf(app.getHttpAdapter().getInstance());
  expect(await resourcesOf(server, 'GET /v1/things/7')).toEqual(['GET:/v1/things/:id']);
});

it('has only characters that Keyward permits, and at most 128', () => {
  expect(routeResource('GET', '/a{/:b}/:c(\\d+)/*é')).toBe('GET:/a/:b/:cd/');
  expect(routeResource('GET', `/${'x'.repeat(200)}`)).toHaveLength(128);
  for (const pattern of [undefined, '*', ['/a', '/b'], /^\/a/])
    expect(routeResource('GET', pattern)).toBeUndefined();
});
