import { get, type IncomingMessage } from 'node:http';
import { EventParser } from 'keyward/internal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { figure, scaled, timeoutMs } from '../../../harness/scale.ts';
import { startTestApp, type TestApp } from '../../../harness/test-app.ts';

/**
 * The streams of as many edges as one account may have. They only read: whole clients in one process
 * would need more CPU time than the server, whose limits are tested here.
 */
const STREAMS = scaled(1_000, 200);
const ROUNDS = scaled(30, 5);

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
});
afterAll(() => test.close());

class Stream {
  readonly #response: IncomingMessage;
  readonly changed = new Set<unknown>();
  readonly #started = Promise.withResolvers<void>();
  start = '';
  cursor = '';
  lastChangeAt = 0;
  /** Up to this time of the server, every change has been received. */
  completeUntil = 0;
  completeAtChange = 0;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    const parser = new EventParser();
    response.on('error', () => {});
    response.setEncoding('utf8').on('data', (chunk: string) => {
      for (const { event, data, id } of parser.push(chunk)) {
        this.cursor = id ?? this.cursor;
        if (event === 'change') {
          this.changed.add(data.keyId);
          this.lastChangeAt = performance.now();
          this.completeAtChange = this.completeUntil;
        } else if (event === 'beat') this.completeUntil = Number(data.at);
        else {
          this.start = event;
          this.#started.resolve();
        }
      }
    });
  }

  /** `after`: the stream that this one continues. */
  static async open(after?: Stream): Promise<Stream> {
    const headers = {
      'x-api-key': test.accessKey,
      ...(after && { 'last-event-id': after.cursor }),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${test.url}/changes`, { agent: false, headers }, resolve).on('error', reject);
    });
    expect(response.statusCode).toBe(200);
    const stream = new Stream(response);
    await stream.#started.promise;
    return stream;
  }

  close(): void {
    this.#response.destroy();
  }
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** All at the same moment. */
async function openAll(after: readonly Stream[] = []): Promise<Stream[]> {
  const startedAt = performance.now();
  const usedBefore = process.cpuUsage();
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, n) => Stream.open(after[n])),
  );
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(usedBefore);
  const cpuMs = (user + system) / 1_000;
  console.log(
    `${figure(STREAMS)} streams opened in ${ms.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms`,
  );
  return streams;
}

const createKey = async () => (await test.client.post('/api-keys', { name: 'Key' })).body;

it(`${figure(STREAMS)} streams: changes, renewals, and all reconnecting at once`, {
  timeout: timeoutMs,
}, async () => {
  const first = await openAll();
  let slowestMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await createKey();
    await until(() => first.every(({ changed }) => changed.has(id)));
    for (const { changed } of first) changed.clear();
    const revokedAt = performance.now();
    await test.client.delete(`/api-keys/${id}`);
    const acknowledgedAt = performance.now();
    await until(() => first.every(({ changed }) => changed.has(id)));
    const latest = Math.max(...first.map(({ lastChangeAt }) => lastChangeAt));
    slowestMs = Math.max(slowestMs, latest - revokedAt);
    // A client accepts no cached key a second after the time of the last heartbeat, so a busy machine
    // may be late with both, but not with the change alone.
    const completeUntil = Math.max(...first.map(({ completeAtChange }) => completeAtChange));
    expect(completeUntil).toBeLessThanOrEqual(acknowledgedAt);
  }
  console.log(`a revocation reached every stream within ${slowestMs.toFixed(0)} ms`);

  // A client renews its stream by opening a second one beside it.
  const renewed = await openAll(first);
  expect(renewed.every(({ start }) => start === 'resumed')).toBe(true);
  for (const stream of [...first, ...renewed]) stream.close();
  await until(() => test.app.changeStreams.open === 0);

  const { id, key } = await createKey();
  const [reconnected, validated] = await Promise.all([
    openAll(renewed),
    test.client.post('/api-keys/auth', { key }),
  ]);
  expect(validated.status).toBe(200);
  expect(reconnected.every(({ start, changed }) => start === 'resumed' && changed.has(id))).toBe(
    true,
  );
  for (const stream of reconnected) stream.close();
});
