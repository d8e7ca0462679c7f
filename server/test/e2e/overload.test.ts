import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Sends the head of a request that promises a body, and goes away without it. */
async function leave(head: string): Promise<void> {
  const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `${head}\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n`,
  );
  await sleep(20);
  socket.destroy();
}

it('whoever leaves before the answer is not counted as being there', async () => {
  const key = `x-api-key: ${test.accessKey}`;
  for (let i = 0; i < 20; i++) await leave(`POST /api-keys HTTP/1.1\r\n${key}`);
  await expect.poll(() => test.app.overload.inFlight).toBe(0);
  expect(test.log.filter((line) => line.includes('"status":499')).length).toBeGreaterThan(0);
});

it('who has shown no credential is never counted, and an unknown address waits for no body', async () => {
  const waiting = Array.from({ length: 20 }, () => leave('POST /nothing HTTP/1.1'));
  await sleep(10);
  expect(test.app.overload.inFlight).toBe(0);
  await Promise.all(waiting);
  expect((await test.client.get('/api-keys')).status).toBe(200);
});
