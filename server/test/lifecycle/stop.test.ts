// 5 s of CPU: server processes that are stopped under load.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, ChildServer, startServer } from '../harness/child-server.ts';
import { EventReader } from '../harness/event-reader.ts';
import { freePort } from '../harness/free-port.ts';
import { createTestClient, type TestClient } from '../harness/test-client.ts';
import { HalfRequest } from './half-request.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'keyward-stop-'));
const servers: ChildServer[] = [];
/** All key values used in this file: none may appear in the output of the servers. */
const values: string[] = [BOOTSTRAP_KEY];

async function start(env: Record<string, string> = {}): Promise<[ChildServer, TestClient]> {
  const server = await startServer({ dataDir, env: { KEYWARD_LOG_LEVEL: 'trace', ...env } });
  servers.push(server);
  return [server, createTestClient(server.url, BOOTSTRAP_KEY)];
}

afterAll(async () => {
  for (const server of servers) await server.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const requestText = (url: string, line: string, body = ''): string =>
  `${line} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nx-api-key: ${BOOTSTRAP_KEY}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Creates keys one after the other until the server refuses; returns the acknowledged ones. */
async function createUntilRefused(client: TestClient): Promise<string[]> {
  const acknowledged: string[] = [];
  for (;;) {
    const response = await client.post('/api-keys', { name: 'under load' }).catch(() => null);
    if (response?.status !== 201) return acknowledged;
    acknowledged.push(response.body.key);
  }
}

describe('SIGTERM under load', () => {
  let limited: string;
  let reset: string;
  let used: { id: string; key: string };
  let acknowledged: string[] = [];

  beforeAll(async () => {
    const [server, client] = await start();
    const limits = { rateLimit: 5, rateLimitTtl: 3600 };
    limited = (await client.post('/api-keys', { name: 'limited', rateLimitConfigs: limits })).body
      .key;
    used = (await client.post('/api-keys', { name: 'used last' })).body;
    for (let n = 0; n < 3; n++) {
      const response = await client.post(`/api-keys/auth/${limited}`);
      reset = response.headers.get('ratelimit-reset')!;
    }
    const creating = [1, 2, 3, 4].map(() => createUntilRefused(client));
    const body = JSON.stringify({ name: 'sent in two parts', key: 'a-value-sent-in-two-parts' });
    const create = requestText(server.url, 'POST /api-keys', body);
    const halfCreate = await HalfRequest.begin(server.url, create, create.length - 10);
    const ready = requestText(server.url, 'GET /readyz');
    const halfReady = await HalfRequest.begin(server.url, ready, 12);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await client.post(`/api-keys/auth/${used.key}`)).status).toBe(200);

    server.process.kill('SIGTERM');
    while (!server.stderr.includes('"msg":"stopping"')) await once(server.process.stderr!, 'data');
    const refused = await fetch(`${server.url}/readyz`).then(
      (response) => response.status,
      () => 'refused',
    );
    expect([503, 'refused']).toContain(refused);
    const readiness = await halfReady.finish();
    expect(readiness.status).toBe(503);
    expect(JSON.parse(readiness.body).code).toBe('shutting_down');
    const created = await halfCreate.finish();
    expect(created.status).toBe(201);
    expect(created.headers).toContain('connection: close');
    acknowledged = (await Promise.all(creating)).flat();
    expect(acknowledged.length).toBeGreaterThan(0);
    values.push(limited, used.key, 'a-value-sent-in-two-parts', ...acknowledged);
    // It would exit with 1 if ten seconds were not enough.
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr).not.toMatch(/"level":(50|60)/);
  });

  it('a start in between fails because its port is in use, and leaves the saved windows for the next start', async () => {
    const port = await freePort();
    const holder = createServer().listen(port, '127.0.0.1');
    await once(holder, 'listening');
    const server = new ChildServer({ dataDir, env: { PORT: String(port) } });
    servers.push(server);
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.output).toBe(
      `keyward: 127.0.0.1:${port} is in use by another process. Choose another port with PORT.\n`,
    );
    holder.close();
  });

  it('loses nothing: writes, last uses and open windows exist at the next start', async () => {
    const metricsPort = await freePort();
    const [server, client] = await start({ KEYWARD_METRICS_PORT: String(metricsPort) });
    for (const value of [...acknowledged, 'a-value-sent-in-two-parts'])
      expect((await client.post(`/api-keys/auth/${value}`)).status).toBe(200);
    const record = (await client.get(`/api-keys/${used.id}`)).body;
    expect(record.firstUsedAt).not.toBeNull();
    expect(record.lastUsedAt).not.toBeNull();
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) {
      const response = await client.post(`/api-keys/auth/${limited}`);
      statuses.push(response.status);
      expect(response.headers.get('ratelimit-reset')).toBe(reset);
    }
    expect(statuses).toEqual([200, 200, 429]);
    await checkMetrics(server.url, metricsPort);
  });

  it('and no value is in the output of the servers', async () => {
    for (const server of servers) await server.end('SIGTERM');
    const output = servers.map((server) => server.output).join('\n');
    expect(output).toContain('"url":"/api-keys"');
    for (const value of values) expect(output).not.toContain(value);
  });
});

/** Metrics have a separate port and are not available on the API port. */
async function checkMetrics(url: string, port: number): Promise<void> {
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  const text = await response.text();
  for (const name of [
    'keyward_http_requests_total',
    'keyward_http_request_duration_seconds_bucket',
    'keyward_validations_total{outcome="valid"}',
    'keyward_validations_total{outcome="limited"} 1',
    'keyward_validation_duration_seconds_bucket',
    'keyward_cache_hits_total',
    'keyward_cache_misses_total',
    'keyward_cache_entries',
    'keyward_rate_limit_windows',
    'keyward_usage_flushes_total',
    'keyward_requests_shed_total',
    'keyward_event_loop_delay_seconds',
    'process_resident_memory_bytes',
  ])
    expect(text).toContain(name);
  for (const value of values) expect(text).not.toContain(value);
  expect((await fetch(`http://127.0.0.1:${port}/api-keys`)).status).toBe(404);
}

it('does not wait for change streams, and sends them the reason', async () => {
  const [server] = await start();
  const headers = { 'x-api-key': BOOTSTRAP_KEY };
  const reader = await EventReader.open(`${server.url}/changes`, headers);
  expect((await reader.next())?.event).toBe('reset');
  const { code } = await server.end('SIGTERM');
  expect(code).toBe(0);
  expect(await reader.nextChange()).toMatchObject({ data: { reason: 'shutting_down' } });
  expect(await reader.nextChange()).toBeNull();
});
