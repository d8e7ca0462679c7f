import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sendRaw } from '../e2e/raw-http.ts';
import { EventReader } from '../harness/event-reader.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { createTestClient, type TestClient } from '../harness/test-client.ts';

const ROUNDS = 25;

let test: TestApp;
/** One client for each thread; the first asks the thread that has the database. */
let clients: TestClient[];
let urls: string[];

beforeAll(async () => {
  test = await startTestApp({ edges: 2, realClock: true });
  urls = [test.url, ...test.edgeUrls];
  clients = urls.map((url) => createTestClient(url, test.accessKey));
  await learnAccessKey(test.accessKey);
});
afterAll(() => test.close());

const createKey = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;
const validate = (client: TestClient, key: string) => client.post(`/api-keys/auth/${key}`);
const statuses = (key: string) =>
  Promise.all(clients.map(async (client) => (await validate(client, key)).status));
const lines = () => test.log.filter((line) => line.includes('/api-keys/auth')).length;

/** An edge hands the first validation of an access key over, and answers the next ones. */
async function learnAccessKey(value: string): Promise<void> {
  const { key } = await createKey();
  for (const url of test.edgeUrls) {
    const client = createTestClient(url, value);
    await vi.waitFor(async () => {
      const before = lines();
      await validate(client, key);
      expect(lines()).toBe(before);
    });
  }
}

const someone = (n: number): TestClient => clients[n % clients.length]!;

describe('changes are in force on every thread when their answer comes', () => {
  it('of a key, whichever thread took the change', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { key, id } = await createKey();
      expect(await statuses(key)).toEqual([200, 200, 200]);
      await someone(round).delete(`/api-keys/${id}`);
      expect(await statuses(key)).toEqual([404, 404, 404]);
      await someone(round + 1).patch(`/api-keys/${id}/reactivate`);
      expect(await statuses(key)).toEqual([200, 200, 200]);
    }
  });

  it('of an access key', async () => {
    const { key } = await createKey();
    const made = await test.client.post('/access-keys', { name: 'x', scopes: ['keys:validate'] });
    const { key: value, id } = made.body;
    await learnAccessKey(value);
    await someone(1).delete(`/access-keys/${id}`);
    for (const client of clients) expect((await validate(client.as(value), key)).status).toBe(401);
  });

  it('of a project', async () => {
    const { id: projectId } = (await test.client.post('/projects', { name: 'Short-lived' })).body;
    const { key } = await createKey({ projectId });
    expect(await statuses(key)).toEqual([200, 200, 200]);
    await someone(2).delete(`/projects/${projectId}`);
    expect(await statuses(key)).toEqual([404, 404, 404]);
  });
});

it('a limit is one limit over all threads', async () => {
  const limit = 40;
  const { key } = await createKey({ rateLimitConfigs: { rateLimit: limit, rateLimitTtl: 3600 } });
  const calls = Array.from({ length: 4 * limit }, (_, n) => validate(someone(n), key));
  const admitted = (await Promise.all(calls)).filter(({ status }) => status === 200);
  expect(admitted.length).toBe(limit);
  const refused = await Promise.all(clients.map((client) => validate(client, key)));
  for (const { status, headers } of refused) {
    expect(status).toBe(429);
    expect(headers.get('ratelimit-consumed')).toBe(String(limit));
  }
});

it('every use is counted once, wherever it was', async () => {
  const { key, id } = await createKey();
  const calls = 120;
  await Promise.all(Array.from({ length: calls }, (_, n) => validate(someone(n), key)));
  const total = async () => {
    const { body } = await test.client.get(`/analytics/api-key-totals?key=${id}`);
    return body[0]?.total;
  };
  await expect.poll(total, { timeout: 10_000 }).toBe(calls);
  await sleep(600);
  expect(await total()).toBe(calls);
});

it('metrics tell of all threads together', async () => {
  const { key } = await createKey();
  const valid = async () => {
    const text = await test.app.metrics.registry.metrics();
    const figure = (name: string) =>
      Number(
        text
          .split('\n')
          .find((l) => l.startsWith(name))
          ?.split(' ')[1],
      );
    return [
      figure('keyward_validations_total{outcome="valid"}'),
      figure('keyward_validation_duration_seconds_count'),
    ];
  };
  await sleep(600);
  const [before, timed] = await valid();
  for (const client of clients) for (let n = 0; n < 5; n++) await validate(client, key);
  await expect.poll(valid).toEqual([before! + 15, timed! + 15]);
});

describe('what a thread hands over is answered as if it had come straight', () => {
  const asks = (path: string, ...headers: string[]) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`;
  const sends = (path: string, body: string, ...headers: string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
      'Connection: close',
      '',
      body,
    ].join('\r\n');

  const REQUESTS: Record<string, (credential: string) => string> = {
    'a list': (x) => asks('/projects', x),
    'no credential': () => asks('/projects'),
    'a wrong credential': () => asks('/projects', 'x-api-key: not-one-of-ours-at-all'),
    'no such route': (x) => asks('/nowhere', x),
    'a credential that comes twice': (x) => asks('/projects', x, x),
    'no host': (x) => `GET /projects HTTP/1.1\r\n${x}\r\nConnection: close\r\n\r\n`,
    'HTTP/1.0': () => 'GET /healthz HTTP/1.0\r\n\r\n',
    'a whole URL': (x) => asks('http://x/projects', x),
    HEAD: () => 'HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'a page': () => asks('/docs'),
    'a body that is no JSON': (x) => sends('/projects', '{"name":', x),
    'a body with an unknown field': (x) => sends('/projects', '{"title":"x"}', x),
    'a body in chunks': (x) =>
      `POST /api-keys/auth HTTP/1.1\r\nHost: x\r\n${x}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n7\r\n{"key":\r\n10\r\n"not-one-of-ours\r\n2\r\n"}\r\n0\r\n\r\n`,
    'a post without a body': (x) =>
      `POST /projects HTTP/1.1\r\nHost: x\r\n${x}\r\nConnection: close\r\n\r\n`,
    'a body that is too long': (x) => sends('/projects', `{"name":"${'x'.repeat(2_000_000)}"}`, x),
    'an expectation': (x) => sends('/projects', '{"title":"x"}', x, 'Expect: 100-continue'),
    'a validation in a body': (x) => sends('/api-keys/auth', '{"key":"not-one-of-ours-1"}', x),
    'a validation in a body with spaces': (x) =>
      sends('/api-keys/auth', '{ "key": "not-one-of-ours-1" }', x),
    'a validation in a body with more': (x) =>
      sends('/api-keys/auth', '{"key":"not-one-of-ours-1","x":1}', x),
    'a validation in a body that is no text of ours': (x) =>
      sends('/api-keys/auth', '{"key":"nö"}', x),
    'a short key': (x) => sends('/api-keys/auth/abc', '', x),
    'a key that needs decoding': (x) => sends('/api-keys/auth/a%20key', '', x),
    'a gateway': (x) =>
      asks(
        '/gateway/verify/some/path',
        x.replace('x-api-key', 'x-keyward-access-key'),
        'x-keyward-key: none-of-ours-1',
      ),
    'no HTTP at all': () => 'HELLO\r\n\r\n',
    'headers without end': (x) => asks('/projects', x, `x-long: ${'x'.repeat(20_000)}`),
  };

  const isMoving = (name: string) =>
    /^date$|ratelimit-(consumed|remaining|reset)|^retry-after/.test(name);
  const settled = (text: string) => text.replaceAll(/req_\w+/g, 'req').replaceAll(/"now":\d+/g, '');
  it.each(Object.keys(REQUESTS))('%s', async (name) => {
    const request = REQUESTS[name]!(`x-api-key: ${test.accessKey}`);
    const [straight, ...handed] = await Promise.all(
      urls.map(async (url) =>
        (await sendRaw(url, request)).map(({ status, headers, text }) => {
          const told = Object.entries(headers)
            .filter(([name]) => !isMoving(name))
            .sort();
          return { status, text: settled(text), headers: settled(JSON.stringify(told)) };
        }),
      ),
    );
    expect(straight!.length).toBeGreaterThan(0);
    for (const answers of handed) expect(answers).toEqual(straight);
  });
});

it('a body that comes in pieces is read whole, on every thread', async () => {
  const { key } = await createKey();
  const body = JSON.stringify({ key });
  for (const url of urls) {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).setNoDelay();
    socket.write(
      `POST /api-keys/auth HTTP/1.1\r\nHost: x\r\nx-api-key: ${test.accessKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    );
    for (const piece of [body.slice(0, 9), body.slice(9, 30), body.slice(30)]) {
      await sleep(30);
      socket.write(piece);
    }
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 200 /);
  }
});

it('the caller’s address is known, and nobody can make one up', async () => {
  const forged = { 'x-keyward-thread-caller': '203.0.113.9' };
  for (const client of clients) {
    const { id } = (await client.post('/projects', { name: 'Whose' }, forged)).body;
    const { body } = await test.client.get(`/audit-logs?target=${id}`);
    expect(JSON.stringify(body)).toContain('127.0.0.1');
    expect(JSON.stringify(body)).not.toContain('203.0.113.9');
  }
});

it('a stream of changes goes on through a thread', async () => {
  const reader = await EventReader.open(`${test.edgeUrls[0]}/changes`, {
    'x-api-key': test.accessKey,
  });
  expect((await reader.next())?.event).toBe('reset');
  const { id } = await createKey();
  await test.client.delete(`/api-keys/${id}`);
  const seen = [];
  for (let change = await reader.nextChange(); ; change = await reader.nextChange()) {
    seen.push(JSON.stringify(change?.data));
    if (seen.at(-1)!.includes(id)) break;
  }
  await reader.close();
});

it('whoever hangs up is not waited for', async () => {
  const { hostname, port } = new URL(test.edgeUrls[0]!);
  const socket = connect(Number(port), hostname);
  const head = `POST /projects HTTP/1.1\r\nHost: x\r\nx-api-key: ${test.accessKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name"`;
  socket.write(head);
  await expect.poll(() => test.app.overload.inFlight).toBe(1);
  socket.destroy();
  await expect.poll(() => test.app.overload.inFlight).toBe(0);
  expect((await clients[1]!.get('/projects')).status).toBe(200);
});
