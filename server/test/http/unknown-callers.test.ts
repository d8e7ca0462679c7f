// 6 s of CPU: as many strangers as needed to fill every queue.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateValue } from '../../src/kernel/secrets/key-values.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const FLOOD = 300;
/** Well below all of them: without turns, the server answers in the order in which requests arrive. */
const FEW = 100;

let test: TestApp;
let value: string;
let cached: string;
const sockets: Socket[] = [];
beforeAll(async () => {
  test = await startTestApp({ trustedProxies: ['127.0.0.1'] });
  value = (await test.client.post('/api-keys', { name: 'A key' })).body.key;
  cached = await newAccessKey();
  expect((await test.client.as(cached).post('/api-keys/auth', { key: value })).status).toBe(200);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await test.close();
});

const newAccessKey = async (): Promise<string> =>
  (await test.client.post('/access-keys', { name: 'A neighbour' })).body.key;

/** A connection that the server has accepted: it accepts one in each turn of its event loop. */
async function opened(): Promise<Socket> {
  const socket = connect(Number(new URL(test.url).port), '127.0.0.1').setNoDelay();
  socket.on('error', () => {});
  sockets.push(socket);
  socket.write(requestOf(`POST /api-keys/auth/${value}`, `x-api-key: ${cached}`, '198.51.100.7'));
  await once(socket, 'data');
  return socket;
}

const requestOf = (line: string, credential: string, address: string): string =>
  `${line} HTTP/1.1\r\nHost: x\r\n${credential}\r\nX-Forwarded-For: ${address}\r\n\r\n`;

/** How many requests of a flood have a response when a later request of another client has one. */
async function answeredBefore(line: string, credentials: () => string, neighbour: string) {
  const flood = await Promise.all(Array.from({ length: FLOOD }, opened));
  const socket = await opened();
  const answers: string[] = [];
  for (const each of flood)
    each.once('data', (text: Buffer) => answers.push(text.toString('latin1', 0, 12)));
  for (const each of flood) each.write(requestOf(line, credentials(), '203.0.113.7'));
  // In this header the router reads the access key, so the neighbour is not on the hot path.
  const credential = `Authorization: Bearer ${neighbour}`;
  socket.write(requestOf(`POST /api-keys/auth/${value}`, credential, '198.51.100.7'));
  const [text] = (await once(socket, 'data')) as [Buffer];
  expect(text.toString('latin1', 0, 12)).toBe('HTTP/1.1 200');
  const before = answers.length;
  await expect.poll(() => answers.length).toBe(FLOOD);
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 401']));
  return before;
}

const unknown = () => `x-api-key: ${generateValue('live_access_')}`;

it.each([
  ['unknown access keys', 'GET /projects', unknown],
  ['unknown access keys of validations', 'POST /api-keys/auth/a-value', unknown],
  ['malformed access keys', 'GET /projects', () => 'x-api-key: live_access_wrong'],
  ['no credential', 'GET /projects', () => 'x-nothing: 1'],
  ['unknown sessions', 'GET /projects', () => `cookie: keyward_session=${generateValue('x')}`],
  [
    'unknown portal tokens',
    'GET /portal/api-keys',
    () => `authorization: ${generateValue('portal_')}`,
  ],
])('a flood of requests with %s does not delay known callers', async (_, line, credentials) => {
  expect(await answeredBefore(line, credentials, cached)).toBeLessThan(FEW);
  // The first request of an access key needs a lookup, which takes turns with those of the flood.
  expect(await answeredBefore(line, credentials, await newAccessKey())).toBeLessThan(FEW);
});
