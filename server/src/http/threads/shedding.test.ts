import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness/test-app.ts';
import { Overload } from '../overload.ts';
import { createRequestIds } from '../request-id.ts';
import { createShedding } from './shedding.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Late twice in a row, as a thread with too much work is. */
function overwhelm(overload: Overload): void {
  for (let n = 0; n < 2; n++) overload.sample(5_000);
}

async function asked(url: string) {
  const answer = await fetch(`${url}/api-keys/auth/live_x`, {
    method: 'POST',
    headers: { 'x-api-key': test.accessKey },
  });
  const headers = Object.fromEntries(answer.headers);
  const { requestId, ...body } = (await answer.json()) as { requestId: string };
  expect(headers['x-request-id']).toBe(requestId);
  for (const name of ['x-request-id', 'date', 'connection', 'keep-alive']) delete headers[name];
  return { status: answer.status, headers, body };
}

it('a thread with too much work says so as the one with the router would, and counts it', async () => {
  const overload = new Overload();
  const server = createServer(
    createShedding({
      overload,
      nextRequestId: createRequestIds(),
      isShed: ({ url }) => url!.startsWith('/api-keys/auth'),
      otherwise: (_request, response) => response.end('handed on'),
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const look = async (path: string) => (await fetch(`${url}${path}`)).text();
  try {
    expect(await look('/api-keys/auth')).toBe('handed on');
    overwhelm(overload);
    overwhelm(test.app.overload);
    const refused = await asked(url);
    expect(refused.status).toBe(503);
    expect(refused).toEqual(await asked(test.url));
    expect(await look('/api-keys')).toBe('handed on');
    expect(overload.shed).toBe(1);
    overload.sample(0);
    expect(await look('/api-keys/auth')).toBe('handed on');
  } finally {
    test.app.overload.sample(0);
    server.closeAllConnections();
    server.close();
  }
});
