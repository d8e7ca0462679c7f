import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Sends the head of a request that promises a body, waits for `event`, and leaves without the body. */
async function leaveAfter(head: string, event: 'request' | 'answer'): Promise<void> {
  const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
  socket.on('error', () => {});
  const seen = event === 'request' ? once(test.app.server.server, 'request') : once(socket, 'data');
  socket.write(
    `${head}\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n`,
  );
  await seen;
  socket.destroy();
}

const gone = () => test.log.filter((line) => line.includes('"status":499')).length;

it('a caller that leaves before the answer is no longer counted as in flight', async () => {
  const key = `x-api-key: ${test.accessKey}`;
  for (let i = 0; i < 20; i++) await leaveAfter(`POST /api-keys HTTP/1.1\r\n${key}`, 'request');
  await expect.poll(gone).toBe(20);
  expect(test.app.overload.inFlight).toBe(0);
});

it('a caller without a credential is never counted, and an unknown address waits for no body', async () => {
  const calls = Array.from({ length: 20 }, () => leaveAfter('POST /nothing HTTP/1.1', 'answer'));
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, test.app.overload.inFlight);
  });
  await Promise.all(calls);
  clearInterval(watch);
  expect(most).toBe(0);
  expect((await test.client.get('/api-keys')).status).toBe(200);
});
