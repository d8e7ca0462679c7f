import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../../../harness/child-server.ts';
import { figure, scaled, timeoutMs } from '../../../harness/scale.ts';
import {
  createTestClient,
  type TestClient,
  type TestResponse,
} from '../../../harness/test-client.ts';
import { CachedValidations } from './cached-validations.ts';
import { halfOpenLink } from './half-open-link.ts';

const ROUNDS = scaled(10, 2);
const LIMIT = 20;
const SOON = { interval: 50 };
/**
 * Far above the expected time, which the log line below reports: detects hanging calls even on a busy
 * machine.
 */
const HANGING_MS = 240_000;
/** A connected node receives a heartbeat every 250 ms. */
const CONNECTED_BEHIND_MS = 1_000;

const link = await halfOpenLink();
const dataDir = mkdtempSync(join(tmpdir(), 'keyward-half-open-'));
let server: ChildServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer({
    dataDir,
    ...(link.namespace !== undefined && { namespace: link.namespace }),
    env: {
      HOST: link.host,
      KEYWARD_DATABASE_URL: link.databaseUrl,
      KEYWARD_REDIS_URL: link.redisUrl,
      KEYWARD_SECRET: 'a root secret for the node behind a link',
      KEYWARD_MANAGEMENT_LIMIT: '1000000',
    },
  });
  client = createTestClient(server.url, BOOTSTRAP_KEY);
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await link.dispose();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Timed {
  readonly response: TestResponse;
  readonly ms: number;
}

async function timed(call: () => Promise<TestResponse>): Promise<Timed> {
  const startedAt = performance.now();
  const tooLong = sleep(HANGING_MS, null, { ref: false });
  const response = await Promise.race([call(), tooLong]);
  if (response === null) throw new Error('A call hangs.');
  return { response, ms: performance.now() - startedAt };
}

const slowest = (calls: readonly Timed[]): number => Math.max(0, ...calls.map(({ ms }) => ms));
const limited = async (): Promise<string> =>
  (
    await client.post('/api-keys', {
      name: 'limited',
      rateLimitConfigs: { rateLimit: LIMIT, rateLimitTtl: 3_600 },
    })
  ).body.key;

/** How far the node may be behind on changes, as reported to clients that cache the key. */
const behindMs = async (key: string): Promise<number> =>
  (await client.post('/api-keys/auth', { key, lease: 1 })).body.behindMs;

/** Sends changes, lists and reads, some of them concurrently. */
async function manage(): Promise<Timed[]> {
  const calls: Timed[] = [];
  for (let n = 0; n < 3; n++)
    calls.push(
      ...(await Promise.all([
        timed(() => client.post('/api-keys', { name: 'never stored' })),
        timed(() => client.post('/api-keys', { name: 'not stored either' })),
        timed(() => client.get('/api-keys')),
        timed(() => client.get('/projects')),
        timed(() => client.post('/api-keys/auth/a-key-that-is-not-cached')),
      ])),
    );
  return calls;
}

/** Heals the link. Resolves when the node has noticed. */
async function heal(): Promise<void> {
  await link.heal();
  await expect.poll(async () => (await client.get('/readyz')).status, SOON).toBe(200);
  await expect
    .poll(async () => (await client.post('/api-keys', { name: 'again' })).status, SOON)
    .toBe(201);
}

it(`with a half-open connection nothing hangs: changes are rejected, cached keys work, limits hold (${link.how})`, {
  timeout: timeoutMs,
}, async () => {
  const { body: plain } = await client.post('/api-keys', { name: 'cached' });
  const validations = new CachedValidations([client], [plain.key]);
  await validations.start();
  const management: Timed[] = [];
  const checks: Timed[] = [];
  for (let round = 0; round < ROUNDS; ) {
    const key = await limited();
    // After the previous round, the node reconnects to the bus a moment later, and then clears its cache.
    await expect.poll(() => behindMs(plain.key), SOON).toBeLessThan(CONNECTED_BEHIND_MS);
    expect((await client.post(`/api-keys/auth/${key}`)).status).toBe(200);
    await link.drop();
    const managementCalls = manage();
    const taken: Timed[] = [];
    for (let n = 0; n < 3 * LIMIT; n++)
      taken.push(await timed(() => client.post(`/api-keys/auth/${key}`)));
    const statuses = taken.map(({ response }) => response.status);
    const during = await managementCalls;
    // On a busy machine a late heartbeat may clear the cache just before the drop. Then nothing is cached,
    // and the round is repeated.
    if (statuses[0] === 503) {
      await heal();
      validations.refusals.length = 0;
      continue;
    }
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    // In the window in which Redis becomes unreachable, the node admits at most the limit once more.
    const admitted = statuses.filter((status) => status === 200).length;
    expect(admitted).toBeLessThanOrEqual(LIMIT);
    checks.push(...taken);
    expect(new Set(during.map(({ response }) => response.status))).toEqual(new Set([503]));
    management.push(...during);
    await heal();
    await expect
      .poll(async () => (await client.post(`/api-keys/auth/${key}`)).status, SOON)
      .toBe(429);
    round++;
  }
  await validations.stop();
  expect(validations.refusals).toEqual([]);
  console.log(
    `half-open (${link.how}): ${ROUNDS} rounds, ${figure(management.length)} management calls and reads of uncached keys, all rejected with 503, the slowest after ${ms(slowest(management))}; ${figure(checks.length)} checks of limits, none admitted beyond its limit, the slowest ${ms(slowest(checks))}; ${figure(validations.answered)} validations of cached keys, 0 refused, the slowest ${ms(validations.slowestMs)}`,
  );
});

const ms = (n: number): string => `${figure(Math.round(n))} ms`;
