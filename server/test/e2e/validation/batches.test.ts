import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateValue } from '../../../src/kernel/secrets/key-values.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

async function opened(): Promise<Socket> {
  const socket = connect(Number(new URL(test.url).port), '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  return socket;
}

function send(socket: Socket, accessKey: string, payload: object): void {
  const body = JSON.stringify(payload);
  socket.write(
    `POST /api-keys/auth HTTP/1.1\r\nHost: x\r\nx-api-key: ${accessKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** Resolves when the whole response has arrived. */
async function response(socket: Socket): Promise<string> {
  let text = '';
  for await (const piece of socket) {
    text += (piece as Buffer).toString('latin1');
    const start = text.indexOf('\r\n\r\n') + 4;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
    if (start > 4 && text.length >= start + length) return text;
  }
  throw new Error(`closed after ${text.length} bytes`);
}

describe('a batch with too large a response', () => {
  const encodings = [
    ['in compact JSON', (body: object) => JSON.stringify(body)],
    ['in indented JSON', (body: object) => JSON.stringify(body, null, ' ')],
  ] as const;

  it.each(encodings)('is rejected before it counts anything, %s', async (_, encode) => {
    const { body: key } = await test.client.post('/api-keys', {
      name: 'Large',
      customMetaData: { text: 'x'.repeat(16_000) },
      customUserId: 'u'.repeat(250),
      customAccountId: 'a'.repeat(250),
      rateLimitConfigs: { rateLimit: 5_000, rateLimitTtl: 60 },
      allowedDomains: Array.from({ length: 10 }, (_, n) => `${n}${'d'.repeat(50)}.example.com`),
    });
    // A short value, so that a thousand fit into the request.
    const short = `l${key.id.slice(-12)}`;
    await test.client.patch(`/api-keys/${key.id}`, { name: 'Large', key: short });
    const sendBatch = (count: number) =>
      fetch(`${test.url}/api-keys/auth`, {
        method: 'POST',
        headers: {
          'x-api-key': test.accessKey,
          'content-type': 'application/json',
          'x-origin-domain': `0${'d'.repeat(50)}.example.com`,
        },
        body: encode({ keys: Array(count).fill(short) }),
      });

    const refused = await sendBatch(1_000);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      code: 'batch_too_large',
      message: expect.stringContaining('half as many keys'),
    });

    const answered = await sendBatch(500);
    expect(answered.status).toBe(200);
    const results = (await answered.json()) as { rateLimit: { consumed: number } }[];
    expect(results.map(({ rateLimit }) => rateLimit.consumed).sort((a, b) => a - b)[0]).toBe(1);
    expect(results).toHaveLength(500);
  });
});

describe('large batches of unknown keys', () => {
  it('do not delay a single validation of another account', async () => {
    const other = await createOtherAccount(test);
    const { key } = (await other.client.post('/api-keys', { name: 'Key' })).body;
    await other.client.post('/api-keys/auth', { key });
    await test.client.post('/api-keys/auth', { key: generateValue('live_') });

    /** Sends five batches and then a single validation; returns which of them finished first. */
    const first = async (): Promise<string> => {
      const finished: string[] = [];
      const single = await opened();
      const sockets = await Promise.all(Array.from({ length: 5 }, opened));
      const { cache } = test.app.validator;
      const missesBefore = cache.misses;
      const batches = sockets.map(async (socket) => {
        const keys = Array.from({ length: 1_000 }, () => generateValue('live_'));
        send(socket, test.accessKey, { keys });
        const text = await response(socket);
        finished.push('batch');
        return text;
      });
      await expect.poll(() => cache.misses, { interval: 0 }).toBeGreaterThan(missesBefore);
      send(single, other.accessKey, { key });
      expect(await response(single)).toContain('200 OK');
      finished.push('single');
      for (const text of await Promise.all(batches)) {
        const results: { code: string }[] = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
        expect(results.map(({ code }) => code)).toEqual(Array(1_000).fill('key_not_found'));
      }
      return finished[0]!;
    };
    // On a busy machine a batch may be finished before the server reads the single validation.
    let winner = '';
    for (let round = 0; round < 3 && winner !== 'single'; round++) winner = await first();
    expect(winner).toBe('single');
  });
});
