import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChildEdge, startEdge } from '../../../edge/child-edge.ts';
import { exchange, startTestEdge, type TestEdge } from '../../../edge/test-edge.ts';
import { figure, rounds, scaled, timeoutMs } from '../../../harness/scale.ts';
import { startTestApp, type TestApp } from '../../../harness/test-app.ts';

const EDGES = scaled(20, 6);
/** The promised bound, from the response to the revocation to the start of the last accepted call. */
const BOUND_MS = 1_000;
const LIMIT = scaled(10_000, 2_000);
const LIMITED_EDGES = scaled(8, 4);
const CREDITS = scaled(20_000, 1_500);
const KILLED_EDGES = scaled(8, 2);
const KILLS = scaled(20, 2);

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
});
afterAll(() => test.close());

const create = async (fields: object = {}): Promise<{ key: string; id: string }> =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...fields })).body;

const statusOf = async (address: string, key: string): Promise<number> => {
  const headers = { 'x-api-key': test.accessKey };
  const body = JSON.stringify({ key });
  return (await exchange(address, { path: '/api-keys/auth', headers, body })).status;
};

async function withEdges<T>(count: number, use: (edges: TestEdge[]) => Promise<T>): Promise<T> {
  const { url: upstreamUrl, accessKey } = test;
  const start = () => startTestEdge({ upstreamUrl, accessKey });
  const edges = await Promise.all(Array.from({ length: count }, start));
  try {
    await Promise.all(edges.map(({ started }) => started));
    return await use(edges);
  } finally {
    await Promise.all(edges.map((edge) => edge.stop()));
  }
}

it(`${EDGES} edges under load see a revocation within a second`, {
  timeout: timeoutMs,
}, async () => {
  await withEdges(EDGES, async (edges) => {
    let slowestMs = 0;
    const done = await rounds({ full: 1_000, quick: 5, atLeast: 2 }, async () => {
      const { key, id } = await create();
      let revokedAt = Number.POSITIVE_INFINITY;
      // Each edge is validated until it refuses.
      const watched = edges.map(async ({ address }) => {
        let acceptedAt = 0;
        for (;;) {
          const startedAt = performance.now();
          const status = await statusOf(address, key);
          if (status === 200) acceptedAt = startedAt;
          else if (status === 404) return acceptedAt - revokedAt;
        }
      });
      await sleep(Math.random() * 50);
      await test.client.delete(`/api-keys/${id}`);
      revokedAt = performance.now();
      slowestMs = Math.max(slowestMs, ...(await Promise.all(watched)));
    });
    console.log(
      `${figure(done)} revocations: the last acceptance after ${slowestMs.toFixed(0)} ms`,
    );
    expect(slowestMs).toBeLessThanOrEqual(BOUND_MS);
  });
});

it.each([
  [LIMIT, LIMITED_EDGES],
  [1_000, 8],
])(
  'a limit of %i over %i edges admits no more, and wastes little',
  {
    timeout: timeoutMs,
  },
  async (rateLimit, count) => {
    const { key } = await create({ rateLimitConfigs: { rateLimit, rateLimitTtl: 86_400 } });
    const admitted = await withEdges(count, async (edges) => {
      const counts = edges.map(async ({ address }) => {
        let accepted = 0;
        // Other edges return what they do not use: only a lasting refusal is final.
        for (let refused = 0; refused < 20; ) {
          const status = await statusOf(address, key);
          if (status === 200) {
            accepted++;
            refused = 0;
          } else {
            if (status === 429) refused++;
            else expect(status).toBe(503);
            await sleep(100);
          }
        }
        return accepted;
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    });
    console.log(`admitted ${figure(admitted)} of ${figure(rateLimit)}`);
    expect(admitted).toBeLessThanOrEqual(rateLimit);
    expect(admitted).toBeGreaterThanOrEqual(0.95 * rateLimit);
  },
);

it(`credits over ${KILLED_EDGES} edges, some of them killed, are never spent twice`, {
  timeout: timeoutMs,
}, async () => {
  const { key, id } = await create({ credits: { remaining: CREDITS } });
  const { url: upstreamUrl, accessKey } = test;
  let granted = 0;
  let kills = 0;
  const runOne = async (): Promise<void> => {
    let edge: ChildEdge = await startEdge({ upstreamUrl, accessKey });
    // Early: each kill also costs the credits that the edge held.
    const stopAt = Math.ceil(CREDITS / KILLS / 20);
    for (let own = 0; ; ) {
      const status = await statusOf(edge.address, key).catch(() => 0);
      if (status === 200) granted++;
      else if (status === 429) break;
      if (++own % stopAt === 0 && kills < KILLS) {
        kills++;
        await edge.end('SIGKILL');
        edge = await startEdge({ upstreamUrl, accessKey });
      }
    }
    await edge.end('SIGTERM');
  };
  await Promise.all(Array.from({ length: KILLED_EDGES }, runOne));
  console.log(`granted ${figure(granted)} of ${figure(CREDITS)} credits, with ${kills} kills`);
  expect(kills).toBe(KILLS);
  expect(granted).toBeLessThanOrEqual(CREDITS);
  expect(granted).toBeGreaterThan(0);
  // What a killed edge leased counts as spent when the lease ends.
  await expect
    .poll(async () => (await test.client.get(`/api-keys/${id}`)).body.credits.remaining)
    .toBeLessThanOrEqual(CREDITS - granted);
});
