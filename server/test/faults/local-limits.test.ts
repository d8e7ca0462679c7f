import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { figure, scaled, timeoutMs } from './scale.ts';

const PROCESSES = 8;
const LIMIT = scaled(50_000, 2_000);
const CLIENT = fileURLToPath(new URL('./local-client.child.ts', import.meta.url));
const run = promisify(execFile);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ realClock: true });
});
afterAll(() => app.close());

it(`${PROCESSES} processes admit no more than ${figure(LIMIT)} together, hardly less, and tell of each`, {
  timeout: timeoutMs,
}, async () => {
  const rateLimitConfigs = { rateLimit: LIMIT, rateLimitTtl: 3_600 };
  const { key, id } = (
    await app.client.post('/api-keys', {
      name: 'Shared',
      projectId: app.projectId,
      rateLimitConfigs,
    })
  ).body;
  const clients = Array.from({ length: PROCESSES }, async () => {
    const { stdout } = await run(process.execPath, [CLIENT, app.url, app.accessKey, key]);
    return JSON.parse(stdout) as { admitted: number; limited: number };
  });
  const results = await Promise.all(clients);
  const sum = (name: 'admitted' | 'limited') =>
    results.reduce((total, result) => total + result[name], 0);
  console.log(
    `admitted ${sum('admitted')} of ${LIMIT}:`,
    results.map((each) => each.admitted),
  );
  expect(sum('admitted')).toBeLessThanOrEqual(LIMIT);
  expect(sum('admitted')).toBeGreaterThanOrEqual(0.95 * LIMIT);
  await app.app.tally.flush();
  const { body } = await app.client.get(`/analytics/usage?groupBy=outcome&interval=day&key=${id}`);
  const counted = (outcome: string) =>
    body
      .filter((row: { group: string }) => row.group === outcome)
      .reduce((total: number, row: { total: number }) => total + row.total, 0);
  expect(counted('valid')).toBe(sum('admitted'));
  expect(counted('rate_limited')).toBe(sum('limited'));
});
