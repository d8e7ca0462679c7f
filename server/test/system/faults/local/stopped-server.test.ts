// Takes 30 s, because a server is stopped for 6 s five times.
import { fastify } from 'fastify';
import { Keyward } from 'keyward';
import { protect } from 'keyward/fastify';
import { LocalKeyward } from 'keyward/local';
import { expect, it, onTestFinished } from 'vitest';
import { startEdge } from '../../../edge/child-edge.ts';
import { exchange } from '../../../edge/test-edge.ts';
import { type Ask, expectOneWait, measureStop, startStoppableServer } from './stopped-server.ts';

const TIMEOUT_MS = 1_000;

/** A handler behind the middleware, called over HTTP. */
async function startApplication(keyward: Keyward | LocalKeyward, key: string): Promise<Ask> {
  const app = fastify();
  await app.register(protect(keyward, { log: () => {} }));
  app.get('/', () => 'hello');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  return async () => {
    const response = await fetch(url, { headers: { 'x-api-key': key } });
    await response.text();
    expect([200, 503]).toContain(response.status);
    return response.status === 200 || null;
  };
}

it('Keyward: an application waits for one timeout, and its handlers respond at once after that', async () => {
  const server = await startStoppableServer();
  const { url, accessKey, key } = server;
  const keyward = new Keyward({ url, accessKey, onUnavailable: 'deny' });
  const direct = async () => (await keyward.validate(key)).valid;
  expectOneWait(await measureStop(server, 'Keyward', direct), TIMEOUT_MS);
  const handler = await startApplication(new Keyward({ url, accessKey }), key);
  expectOneWait(await measureStop(server, 'Fastify, Keyward', handler), TIMEOUT_MS);
});

it('LocalKeyward: an application waits for one timeout; with serve-known, known keys are served', async () => {
  const server = await startStoppableServer();
  const { url, accessKey, key } = server;
  for (const onUnavailable of ['deny', 'serve-known'] as const) {
    const local = new LocalKeyward({ url, accessKey, onUnavailable, log: () => {} });
    onTestFinished(() => local.close());
    await local.ready;
    const handler = await startApplication(local, key);
    const stop = await measureStop(server, `Fastify, LocalKeyward, ${onUnavailable}`, handler);
    expectOneWait(stop, TIMEOUT_MS);
    if (onUnavailable === 'serve-known') expect(stop.served).toBe(stop.durationsMs.length);
  }
});

it('an edge: a caller waits for one timeout; with serve-known, known keys are served', async () => {
  const server = await startStoppableServer();
  const { url: upstreamUrl, accessKey, key } = server;
  for (const onUnavailable of ['deny', 'serve-known'] as const) {
    const edge = await startEdge({
      upstreamUrl,
      accessKey,
      args: ['--on-unavailable', onUnavailable],
      env: { KEYWARD_UPSTREAM_TIMEOUT_SECONDS: String(TIMEOUT_MS / 1000) },
    });
    onTestFinished(async () => {
      await edge.end('SIGKILL');
    });
    const ask = async () => {
      const headers = { 'x-api-key': accessKey };
      const request = { path: '/api-keys/auth', headers, body: JSON.stringify({ key }) };
      const { status } = await exchange(edge.address, request);
      expect([200, 503]).toContain(status);
      return status === 200 || null;
    };
    const stop = await measureStop(server, `edge, ${onUnavailable}`, ask);
    expectOneWait(stop, TIMEOUT_MS);
    if (onUnavailable === 'serve-known') expect(stop.served).toBe(stop.durationsMs.length);
  }
});
