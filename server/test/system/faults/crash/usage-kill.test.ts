import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countRows, sumOf } from '../../../../src/features/analytics/journal/key-entries.ts';
import { figure, rounds, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { ACCESS_KEY, ServerProcess } from './server-process.ts';

const ROUNDS = { full: 200, quick: 3, atLeast: 2 };
const CLIENTS = 8;
const KEYS = 20;

let directory: string;
let server: ServerProcess;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-usage-'));
  server = await ServerProcess.on(directory);
});
afterAll(async () => {
  await server.end('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** Requests and responses of the clients in one round. */
interface Load {
  sent: number;
  /** Times of the responses, in order. */
  readonly responses: number[];
  over: boolean;
}

async function validateUntilOver(
  load: Load,
  keys: readonly string[],
  random: SeededRandom,
): Promise<void> {
  while (!load.over) {
    load.sent++;
    const response = await fetch(`${server.url}/api-keys/auth/${random.pick(keys)}`, {
      method: 'POST',
      headers: { 'x-api-key': ACCESS_KEY },
    }).catch(() => null);
    if (response === null) return;
    // Overloaded: not validated and not counted.
    if (response.status === 503) {
      await response.arrayBuffer().catch(() => {});
      load.sent--;
      continue;
    }
    if (response.status !== 200)
      throw new Error(`Validating a known key returned ${response.status}.`);
    load.responses.push(performance.now());
    await response.arrayBuffer().catch(() => {});
  }
}

/** Counts in the database file, whether or not the server is running. */
function stored(): { keys: number; projects: number; accessKeys: number } {
  const database = new DatabaseSync(join(directory, 'keyward.db'), { readOnly: true });
  try {
    const sum = (table: string) =>
      Number(
        Object.values(database.prepare(`SELECT coalesce(sum(valid), 0) FROM ${table}`).get()!)[0],
      );
    const journal = database.prepare('SELECT entries FROM usage_journal').all();
    const waiting = journal.flatMap(({ entries }) => countRows(sumOf([entries as Uint8Array])));
    return {
      keys: sum('usage_minutes') + waiting.reduce((all, [, valid]) => all + valid!, 0),
      projects: sum('project_minutes'),
      accessKeys: sum('access_usage_minutes'),
    };
  } finally {
    database.close();
  }
}

async function round(
  keys: readonly string[],
  random: SeededRandom,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<{ load: Load; flushed: number; endedAt: number }> {
  const before = stored().keys;
  server.spawn();
  await server.ready();
  const load: Load = { sent: 0, responses: [], over: false };
  const clients = Array.from({ length: CLIENTS }, () => validateUntilOver(load, keys, random));
  await expect.poll(() => stored().keys, { interval: 20 }).toBeGreaterThan(before);
  await sleep(random.below(1_200));
  const flushed = stored().keys - before;
  if (signal === 'SIGTERM') {
    load.over = true;
    await Promise.all(clients);
  }
  const endedAt = performance.now();
  await server.end(signal);
  load.over = true;
  await Promise.all(clients);
  return { load, flushed, endedAt };
}

it(
  'kill -9 costs only counts that were not flushed, and doubles none; a stop costs nothing',
  async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    server.spawn();
    await server.ready();
    const keys: string[] = [];
    for (let n = 0; n < KEYS; n++)
      keys.push((await server.call('POST', '/api-keys', { name: `Key ${n}` })).body.key);
    await server.end('SIGTERM');

    let before = stored().keys;
    let answered = 0;
    let lost = 0;
    let lossMsMax = 0;
    const done = await rounds(ROUNDS, async () => {
      const { load, flushed, endedAt } = await round(keys, random, 'SIGKILL');
      const now = stored();
      const counted = now.keys - before;
      before = now.keys;
      answered += load.responses.length;
      // Nothing is counted twice: no more counts than requests.
      expect(counted).toBeLessThanOrEqual(load.sent);
      // Counts that were flushed before the kill are not lost.
      expect(counted).toBeGreaterThanOrEqual(flushed);
      const missing = Math.max(0, load.responses.length - counted);
      lost += missing;
      const lossMs = missing === 0 ? 0 : endedAt - load.responses[counted]!;
      lossMsMax = Math.max(lossMsMax, lossMs);
      expect(now.projects).toBe(now.keys);
      expect(now.accessKeys).toBe(now.keys);
    });
    const { load } = await round(keys, random, 'SIGTERM');
    expect(stored().keys - before).toBe(load.responses.length);
    expect(load.sent).toBe(load.responses.length);
    console.log(
      `usage, kill -9: ${done} rounds (seed ${seed}), ${figure(answered)} answers, ${figure(lost)} not counted, all of the last ${Math.round(lossMsMax)} ms or less, 0 counted twice; SIGTERM: 0 of ${figure(load.responses.length)} lost`,
    );
    expect(answered).toBeGreaterThan(done);
  },
  timeoutMs,
);
