// 5 s of CPU: responses that are larger than any buffer of the kernel.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOtherAccount, type OtherAccount } from '../e2e/other-account.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
let defaultApp: TestApp;
const values: string[] = [];
beforeAll(async () => {
  test = await startTestApp({ timeouts: { stalled: 200, checkEvery: 20 } });
  defaultApp = await startTestApp();
  for (const { client } of [test, defaultApp])
    for (let n = 0; n < 20; n++) {
      const customMetaData = { text: 'x'.repeat(15_000) };
      const { body } = await client.post('/api-keys', { name: `Key ${n}`, customMetaData });
      if (client === defaultApp.client) values.push(body.key);
    }
});
afterAll(() => Promise.all([test.close(), defaultApp.close()]));

/** A client that sends a text and does not read, and the server's socket of the connection. */
async function unreading(app: TestApp, text: string): Promise<{ client: Socket; server: Socket }> {
  const accepted = once(app.app.server.server, 'connection') as Promise<[Socket]>;
  const client = connect(Number(new URL(app.url).port), '127.0.0.1');
  client.pause().on('error', () => {});
  client.write(text);
  const [server] = await accepted;
  return { client, server };
}

const head = (app: TestApp, line: string, more = ''): string =>
  `${line} HTTP/1.1\r\nHost: x\r\nx-api-key: ${app.accessKey}\r\n${more}\r\n`;
const list = (app: TestApp): string => head(app, 'GET /api-keys');
const batch = (app: TestApp, body = JSON.stringify({ keys: values })): string =>
  head(
    app,
    'POST /api-keys/auth',
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`,
  ) + body;

/** Number of 300 KB responses: more than any kernel buffers. */
const MANY = 90;

/** Waits until the kernel buffers are full and nothing more is written. */
async function settled(server: Socket): Promise<void> {
  let last = 0;
  let same = 0;
  await expect
    .poll(() => {
      same = server.writableLength === last ? same + 1 : 0;
      last = server.writableLength;
      return last > 0 ? same : 0;
    })
    .toBeGreaterThan(4);
}

const STATUS = 'HTTP/1.1 200 OK';

/** Resumes reading, and counts the responses. */
function read(client: Socket): { readonly count: number } {
  const counted = { count: 0 };
  let text = '';
  client.on('data', (piece) => {
    text += piece.toString('latin1');
    counted.count += text.split(STATUS).length - 1;
    // Keeps one character less than a status line, for one that is split between chunks.
    text = text.slice(1 - STATUS.length);
  });
  client.resume();
  return counted;
}

it.each([
  ['validations read from the socket', batch],
  ['lists', list],
  ['validations behind another request', (app: TestApp) => batch(app)],
] as const)('no further request starts while %s are not read', async (name, request) => {
  const first = name.includes('behind') ? head(defaultApp, 'GET /projects') : '';
  const before = defaultApp.app.validator.outcomes.valid;
  const { client, server } = await unreading(defaultApp, first + request(defaultApp).repeat(MANY));
  await settled(server);
  // Only one response of 300 KB is pending: no other in the socket or in the router.
  expect(server.writableLength).toBeLessThan(700_000);
  expect(defaultApp.app.overload.inFlight).toBeLessThanOrEqual(1);
  const started = (defaultApp.app.validator.outcomes.valid - before) / values.length;
  expect(started).toBeLessThan(MANY);

  const counted = read(client);
  await expect.poll(() => counted.count).toBe(MANY + (first === '' ? 0 : 1));
  client.destroy();
});

it('a client with more than 100 waiting requests is disconnected', async () => {
  const { server } = await unreading(defaultApp, list(defaultApp).repeat(200));
  await once(server, 'close');
});

it.each([
  ['a list', list],
  [
    'validations read from the socket',
    (app: TestApp) =>
      batch(app, JSON.stringify({ keys: Array.from({ length: 1_000 }, () => 'unknown') })),
  ],
])('the connection is closed if the client does not read %s', async (_name, request) => {
  const { server } = await unreading(test, request(test).repeat(MANY));
  await once(server, 'close');
  expect(test.app.overload.inFlight).toBe(0);
});

it('a change stream that is not read is closed', async () => {
  const { server } = await unreading(test, head(test, 'GET /changes'));
  await expect.poll(() => test.app.changeStreams.open).toBe(1);
  // Simulates full kernel buffers.
  server.write(Buffer.alloc(20_000_000));
  await once(server, 'close');
  await expect.poll(() => test.app.changeStreams.open).toBe(0);
});

it.each([
  ['read from the socket', '', (body: string) => body],
  ['behind another request', 'GET /projects', (body: string) => body],
  ['with leading whitespace', '', (body: string) => ` ${body}`],
])('a batch of 15 MB %s: an account may have one that is not read', async (...form) => {
  const [, first, encode] = form;
  const keys = Array.from({ length: 1_000 }, (_, n) => values[n % values.length]);
  const body = encode(JSON.stringify({ keys }));
  const sendBatch = () =>
    fetch(`${defaultApp.url}/api-keys/auth`, {
      method: 'POST',
      headers: { 'x-api-key': defaultApp.accessKey, 'content-type': 'application/json' },
      body,
    });
  const { client, server } = await unreading(
    defaultApp,
    (first && head(defaultApp, first)) + batch(defaultApp, body),
  );
  await settled(server);
  await expectRefused(await sendBatch());

  client.destroy();
  await expect
    .poll(async () => {
      const response = await sendBatch();
      await response.arrayBuffer();
      return response.status;
    })
    .toBe(200);
});

async function expectRefused(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toMatchObject({
    code: 'overloaded',
    message: expect.stringContaining('have not been read'),
  });
}

describe('an account with more unread bytes than it may have', () => {
  let small: TestApp;
  let other: OtherAccount;
  beforeAll(async () => {
    small = await startTestApp({ responseLimits: { accountBytes: 1_500_000, waitMs: 50 } });
    other = await createOtherAccount(small);
    const keys = Array.from({ length: 100 }, (_, n) => ({
      name: `Key ${n}`,
      key: `unread-key-${n}`,
      customMetaData: { text: 'x'.repeat(9_000) },
    }));
    await small.client.post('/api-keys/import', { keys });
  });
  afterAll(() => small.close());

  const get = (path: string, accessKey: string) =>
    fetch(small.url + path, { headers: { 'x-api-key': accessKey } });
  const create = (name: string) =>
    fetch(`${small.url}/projects`, {
      method: 'POST',
      headers: { 'x-api-key': small.accessKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
  it('reads nothing, but changes and validates', async () => {
    const { body: key } = await small.client.post('/api-keys', { name: 'To be revoked' });
    const held = small.app.responses.send({ name: small.accountId }, 1_500_000);
    await expectRefused(await get('/projects', small.accessKey));
    const headers = { 'x-api-key': small.accessKey };
    const gateway = await fetch(`${small.url}/gateway/verify`, {
      headers: { ...headers, 'x-keyward-key': key.key },
    });
    expect(gateway.status).toBe(200);
    const url = `${small.url}/api-keys/${key.key}`;
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await get('/projects', other.accessKey)).status).toBe(200);
    held.release();
  });

  it('changes nothing if the results of its changes are unread', async () => {
    const held = small.app.responses.send({ name: `changes of ${small.accountId}` }, 1_500_000);
    await expectRefused(await create('Not created'));
    const { body } = await small.client.get('/projects');
    expect(JSON.stringify(body)).not.toContain('Not created');
    held.release();
  });

  const inFlight = () => small.app.responses.bytes;

  it.each(['limit=100', 'limit=100&sort=name', ''])('gets no further list: ?%s', async (query) => {
    const request = head(small, `GET /api-keys?${query}`);
    const clients: Socket[] = [];
    // The kernel accepts the first responses of a connection.
    for (let n = 0; n < 2; n++) {
      const { client, server } = await unreading(small, request.repeat(MANY));
      clients.push(client);
      if (n === 0) await settled(server);
    }
    await expectRefused(await get('/api-keys?limit=100', small.accessKey));
    expect(inFlight()).toBeLessThan(1_500_000);
    const metrics = await small.app.metrics.registry.metrics();
    expect(metrics).toMatch(/^keyward_response_bytes_in_flight [1-9]\d{5,}$/m);

    // Nobody else is affected.
    const theirs = await get('/api-keys?limit=100', other.accessKey);
    expect([theirs.status, await theirs.json()]).toEqual([200, []]);

    for (const client of clients) client.destroy();
    await expect.poll(inFlight).toBe(0);
    const again = await get('/api-keys?limit=100', small.accessKey);
    expect(((await again.json()) as unknown[]).length).toBe(100);
  });
});
