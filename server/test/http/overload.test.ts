import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createOtherAccount, type OtherAccount } from '../e2e/other-account.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** One account may have two requests in flight. */
const LIMITS = { inFlightMax: 8, waitingMax: 8 };
const SHARE = 2;

let test: TestApp;
let other: OtherAccount;
let accessKeys: string[];
beforeAll(async () => {
  test = await startTestApp({ overloadLimits: LIMITS });
  other = await createOtherAccount(test);
  const create = async () =>
    (await test.client.post('/access-keys', { name: 'One more' })).body.key;
  accessKeys = [test.accessKey, await create(), await create()];
});
afterAll(() => test.close());
beforeEach(() => expect.poll(() => test.app.overload.inFlight).toBe(0));

/** A request whose body is sent later, or never. */
class IncompleteRequest {
  readonly socket: Socket;
  text = '';

  constructor(path: string, ...headers: string[]) {
    this.socket = connect(Number(new URL(test.url).port), '127.0.0.1');
    this.socket
      .on('error', () => {})
      .on('data', (piece) => {
        this.text += piece;
      });
    const lines = ['host: x', 'content-type: application/json', ...headers];
    this.socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  }

  get status(): string | undefined {
    return / (\d{3}) /.exec(this.text)?.[1];
  }
}

/** Without retries; the test client retries requests that an overloaded server rejects. */
const sendOnce = (accessKey: string, method: string, path: string): Promise<Response> =>
  fetch(test.url + path, { method, headers: { 'x-api-key': accessKey } });

const BODY = '{"name":"A key","key":"a-key-of-the-caller"}';

it.each(['/api-keys', '/api-keys/auth'])(
  'incomplete requests to %s use only the slots of their account, whichever access keys they have',
  async (path) => {
    const body = path === '/api-keys' ? BODY : '{"key":"unknown"}';
    const requests = Array.from({ length: 20 }, (_, n) => {
      const key = `x-api-key: ${accessKeys[n % accessKeys.length]}`;
      const request = new IncompleteRequest(path, key, `content-length: ${body.length}`);
      request.socket.write(body.slice(0, 1));
      return request;
    });
    // All others are rejected, so the remaining ones hold the slots of their account.
    const answered = () => requests.filter(({ status }) => status !== undefined);
    await expect.poll(() => answered().length).toBe(20 - SHARE);
    for (const { text } of answered()) {
      expect(text).toContain(' 503 ');
      expect(text.toLowerCase()).toContain('retry-after: 1');
      expect(text).toContain('concurrent requests of this account');
    }
    expect(test.app.overload.inFlight).toBe(0);
    expect((await sendOnce(other.accessKey, 'GET', '/projects')).status).toBe(200);
    expect((await sendOnce(other.accessKey, 'POST', '/api-keys/auth/unknown')).status).toBe(404);

    const left = requests.filter(({ status }) => status === undefined);
    left[0]!.socket.write(body.slice(1));
    await expect.poll(() => left[0]!.status).toBe(path === '/api-keys' ? '201' : '404');
    for (const { socket } of requests) socket.destroy();
    await expect.poll(async () => (await test.client.get('/projects')).status).toBe(200);
  },
);

it('one customer in the portal cannot use up the slots of its account', async () => {
  const create = async (customAccountId: string) => {
    const session = { customAccountId, projectId: test.projectId, allow: ['keys:create'] };
    const { body } = await test.client.post('/portal-sessions', session);
    return `authorization: Bearer ${body.token}`;
  };
  const send = (token: string) =>
    new IncompleteRequest('/portal/api-keys', token, 'content-length: 9');
  const first = send(await create('one'));
  // The second session of the same customer.
  const second = send(await create('one'));
  await expect.poll(() => first.status ?? second.status).toBe('503');
  const waiting = send(await create('another'));
  expect((await sendOnce(other.accessKey, 'GET', '/projects')).status).toBe(200);
  expect(waiting.status).toBe(undefined);
  for (const { socket } of [first, second, waiting]) socket.destroy();
});

it('while overloaded, a request without a credential is refused before its body is read, unless it is a GET or HEAD', async () => {
  test.app.overload.inFlight += LIMITS.inFlightMax;
  try {
    const request = new IncompleteRequest('/leaks/github', 'content-length: 1000');
    await expect.poll(() => request.status).toBe('503');
    request.socket.destroy();
    for (const method of ['GET', 'HEAD'])
      expect((await fetch(`${test.url}/healthz`, { method })).status).toBe(200);
  } finally {
    test.app.overload.inFlight -= LIMITS.inFlightMax;
  }
});

it('a caller that disconnects before its body is complete releases its slot', async () => {
  const before = test.log.filter((line) => line.includes('"status":499')).length;
  for (let n = 0; n < 10; n++) {
    const length = 'content-length: 10';
    const expecting = 'expect: 100-continue';
    const request = new IncompleteRequest(
      '/api-keys',
      `x-api-key: ${test.accessKey}`,
      length,
      expecting,
    );
    await once(request.socket, 'data');
    expect(request.status).toBe('100');
    request.socket.destroy();
    const left = () => test.log.filter((line) => line.includes('"status":499')).length - before;
    await expect.poll(left).toBe(n + 1);
  }
  expect(test.app.overload.inFlight).toBe(0);
  expect((await test.client.get('/api-keys')).status).toBe(200);
});

it('an unknown path is answered without waiting for the body', async () => {
  const request = new IncompleteRequest('/nothing', 'content-length: 10');
  await expect.poll(() => request.status).toBe('404');
  request.socket.destroy();
});

it('the node rejects every request with a credential when all slots are in use', async () => {
  test.app.overload.inFlight += LIMITS.inFlightMax;
  try {
    const refused = await sendOnce(other.accessKey, 'GET', '/projects');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'overloaded' });
    expect(refused.headers.get('retry-after')).toBe('1');
  } finally {
    test.app.overload.inFlight -= LIMITS.inFlightMax;
  }
});
