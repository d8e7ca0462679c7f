import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { retentionStep } from '../../src/features/analytics/buckets/retention.ts';
import { rollUpStep } from '../../src/features/analytics/buckets/roll-up.ts';
import {
  ACCESS_KEY_USAGE,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
} from '../../src/features/analytics/usage-kinds.ts';
import { executeMany, type Storage } from '../../src/storage/index.ts';
import { openTestStorage } from '../harness/test-storage.ts';

const RETENTION = { minuteHours: 2, hourDays: 3 };
const BEGIN = Date.UTC(2030, 0, 1);

let storage: Storage;
let dispose: () => Promise<void>;
beforeEach(async () => {
  ({ storage, dispose } = await openTestStorage());
});
afterEach(() => dispose());

const addMinutes = (count: number) =>
  storage.transaction((tx) =>
    executeMany(
      tx,
      Array.from({ length: count }, (_, n) => ({ start: BEGIN + n * MINUTE_MS, seq: 1 + (n % 7) })),
      ({ start, seq }) => sql`insert into access_usage_minutes
        (start, seq, valid, rate_limited, revoked, expired, domain_denied, unknown, malformed)
        values (${start}, ${seq}, 1, 0, 0, 0, 0, 0, 0)`,
    ),
  );

const rowsOf = async (table: string) =>
  (
    await sql<{ start: number; valid: number }>`
      select start, valid from ${sql.table(table)} order by start`.execute(storage.point)
  ).rows;

const untilDone = async (step: () => Promise<boolean>): Promise<number> => {
  let steps = 0;
  while (await step()) steps++;
  return steps;
};

test('deletes nothing before it is rolled up, however old', async () => {
  await addMinutes(5_000);
  const later = BEGIN + 365 * DAY_MS;
  expect(await untilDone(() => retentionStep(storage, ACCESS_KEY_USAGE, RETENTION, later))).toBe(0);
  expect(await rowsOf('access_usage_minutes')).toHaveLength(5_000);
});

test('deletes rolled-up counts in parts when their retention period ends, and not a minute sooner', async () => {
  await addMinutes(5_000);
  const now = BEGIN + 5_000 * MINUTE_MS + 7 * HOUR_MS;
  await untilDone(() => rollUpStep(storage, ACCESS_KEY_USAGE, now));
  const steps = await untilDone(() => retentionStep(storage, ACCESS_KEY_USAGE, RETENTION, now));
  expect(steps).toBeGreaterThan(2);
  expect(await rowsOf('access_usage_minutes')).toEqual([]);
  const quarters = await rowsOf('access_usage_quarters');
  // Now is in the fourth day, so the first is one of the three whole days that are kept.
  expect(quarters[0]!.start).toBe(BEGIN);
  const aDayLater = now + DAY_MS;
  await untilDone(() => rollUpStep(storage, ACCESS_KEY_USAGE, aDayLater));
  await untilDone(() => retentionStep(storage, ACCESS_KEY_USAGE, RETENTION, aDayLater));
  const left = await rowsOf('access_usage_quarters');
  expect(left[0]!.start).toBe(BEGIN + DAY_MS);
  expect(left.reduce((sum, { valid }) => sum + valid, 0)).toBe(5_000 - 1_440);
});

test('keeps minutes for their retention period, even after they are rolled up', async () => {
  await addMinutes(600);
  const now = BEGIN + 600 * MINUTE_MS;
  await untilDone(() => rollUpStep(storage, ACCESS_KEY_USAGE, now));
  await untilDone(() => retentionStep(storage, ACCESS_KEY_USAGE, RETENTION, now));
  const minutes = await rowsOf('access_usage_minutes');
  expect(minutes).toHaveLength(120);
  expect(minutes[0]!.start).toBe(now - 2 * HOUR_MS);
});
