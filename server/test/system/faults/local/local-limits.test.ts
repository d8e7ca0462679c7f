import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { figure, scaled, timeoutMs } from '../../../harness/scale.ts';
import { startTestApp, type TestApp } from '../../../harness/test-app.ts';

const PROCESSES = scaled(8, 4);
const LIMIT = scaled(50_000, 2_000);
const WINDOW_SECONDS = scaled(3, 2);
const WINDOWS = scaled(20, 1);
const CLIENT = fileURLToPath(new URL('./local-client.child.ts', import.meta.url));

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ realClock: true });
});
afterAll(() => app.close());

const keyWith = async (rateLimitTtl: number, rateLimit = LIMIT) => {
  const rateLimitConfigs = { rateLimit, rateLimitTtl };
  const { projectId } = app;
  const made = await app.client.post('/api-keys', { name: 'Shared', projectId, rateLimitConfigs });
  return made.body as { key: string; id: string };
};

interface ClientReport {
  readonly admitted: Readonly<Record<string, number>>;
  readonly late: number;
  readonly limited: number;
}

/** Runs all clients concurrently, with a common start. */
async function race(key: string, ...secondsAndPauseMs: number[]): Promise<ClientReport[]> {
  const args = [CLIENT, app.url, app.accessKey, key, ...secondsAndPauseMs.map(String)];
  const clients = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  await Promise.all(clients.map(({ stdout }) => once(stdout, 'data')));
  for (const { stdin } of clients) stdin.write('go\n');
  return Promise.all(
    clients.map(async ({ stdout }) => JSON.parse(await text(stdout)) as ClientReport),
  );
}

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);
const admittedBy = ({ admitted }: ClientReport): number => sum(Object.values(admitted));

it(`${PROCESSES} processes admit at most ${figure(LIMIT)} together, at least 95 % of them, and report each use`, {
  timeout: timeoutMs,
}, async () => {
  const { key, id } = await keyWith(3_600);
  const results = await race(key);
  const admitted = sum(results.map(admittedBy));
  console.log(`admitted ${admitted} of ${LIMIT}:`, results.map(admittedBy).join(' '));
  expect(admitted).toBeLessThanOrEqual(LIMIT);
  expect(admitted).toBeGreaterThanOrEqual(0.95 * LIMIT);
  await app.app.tally.flush();
  const { body } = await app.client.get(`/analytics/usage?groupBy=outcome&interval=day&key=${id}`);
  const counted = (outcome: string) =>
    sum(
      body
        .filter((row: { group: string }) => row.group === outcome)
        .map((row: { total: number }) => row.total),
    );
  expect(counted('valid')).toBe(admitted);
  expect(counted('rate_limited')).toBe(sum(results.map(({ limited }) => limited)));
});

it(`the limit holds in each of ${figure(WINDOWS)} consecutive windows of ${WINDOW_SECONDS} s`, {
  timeout: timeoutMs,
}, async () => {
  const { key } = await keyWith(WINDOW_SECONDS);
  // The first and the last window are incomplete.
  const results = await race(key, (WINDOWS + 2) * WINDOW_SECONDS);
  const windows: Record<string, number> = {};
  for (const { admitted } of results)
    for (const [end, count] of Object.entries(admitted)) windows[end] = (windows[end] ?? 0) + count;
  const shares = Object.values(windows).map((count) => count / LIMIT);
  console.log(
    `share of ${figure(LIMIT)} used in each window:`,
    shares.map((share) => share.toFixed(4)).join(' '),
  );
  expect(shares.length).toBeGreaterThanOrEqual(WINDOWS);
  expect(Math.max(...shares)).toBeLessThanOrEqual(1);
  expect(results.map(({ late }) => late)).toEqual(results.map(() => 0));
});

it('an unused lease ends with its window', { timeout: timeoutMs }, async () => {
  const { key } = await keyWith(WINDOW_SECONDS, 1_000_000);
  const results = await race(key, (WINDOWS + 2) * WINDOW_SECONDS, 2);
  expect(sum(results.map(({ limited }) => limited))).toBe(0);
  expect(new Set(results.flatMap(({ admitted }) => Object.keys(admitted))).size).toBeGreaterThan(1);
  expect(results.map(({ late }) => late)).toEqual(results.map(() => 0));
});
