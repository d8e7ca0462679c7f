import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/storage/migrate.ts';
import { openSqlite, type SqliteStorage } from '../../src/storage/sqlite.ts';
import { figure, rounds, timeoutMs } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { Schedule } from './fill-race-schedule.ts';
import { createServices, DelayedReads, makeTenants } from './fill-race-world.ts';

const SCHEDULES = { full: 10_000, quick: 1_000, atLeast: 100 };

let directory: string;
let storage: SqliteStorage;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-race-'));
  // Tests ordering, not durability: without syncs, ten times as many schedules run in the same time.
  storage = await openSqlite({ file: join(directory, 'keyward.db'), unsafeSynchronousOff: true });
  await migrate(storage, 0);
});
afterAll(async () => {
  await storage.close();
  rmSync(directory, { recursive: true, force: true });
});

it(
  'no answer is older than the last acknowledged change, whatever the order of reads and changes',
  async () => {
    const seed = runSeed();
    const tenants = await makeTenants(
      createServices(storage, new DelayedReads(new SeededRandom(seed))),
    );
    let truth = {
      version: 0,
      keyActive: true,
      accessKeyActive: true,
      projectActive: true,
      valueMoved: false,
      planVersion: 0,
      customerExists: false,
    };
    const total = { lookups: 0, changes: 0 };
    const schedules = await rounds(SCHEDULES, async (n) => {
      const schedule = new Schedule(storage, tenants, truth, new SeededRandom(seed + n));
      const outcome = await schedule.run().catch((error: Error) => {
        throw new Error(`seed ${seed}, schedule ${n}: ${error.message}`, { cause: error });
      });
      truth = outcome.truth;
      total.lookups += outcome.figures.lookups;
      total.changes += outcome.figures.changes;
    });
    console.log(
      `revoke against fill: ${figure(schedules)} schedules (seed ${seed}), ${figure(total.changes)} changes, ${figure(total.lookups)} answers, 0 stale`,
    );
    expect(total.changes).toBeGreaterThan(schedules);
  },
  timeoutMs,
);
