import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCounts } from '../../src/features/analytics/counts-reader.ts';
import {
  UsageTally,
  UsedAccessKey,
  UsedKey,
  usageWriter,
} from '../../src/features/analytics/index.ts';
import { UsageJournal } from '../../src/features/analytics/journal.ts';
import { bySeq } from '../../src/features/analytics/members.ts';
import { DEFAULT_RETENTION } from '../../src/features/analytics/retention.ts';
import { rollUpStep } from '../../src/features/analytics/roll-up.ts';
import { KEYS, SUBJECTS } from '../../src/features/analytics/subjects.ts';
import { UsageKeeper } from '../../src/features/analytics/usage-keeper.ts';
import { firstUseEvents } from '../../src/features/api-keys/index.ts';
import { TransactionalOutbox } from '../../src/features/webhooks/index.ts';
import { createIds } from '../../src/kernel/ids.ts';
import type { Storage } from '../../src/storage/index.ts';
import { START, startTestApp, type TestApp } from '../harness/test-app.ts';
import { isFull, scaled } from './scale.ts';
import { type FailAt, FailingStorage } from './usage-failing-storage.ts';

class Key extends UsedKey {
  readonly seq: number;
  readonly project: { readonly id: string };
  firstUsedAt: number | null = null;
  constructor(seq: number, projectId: string) {
    super();
    this.seq = seq;
    this.project = { id: projectId };
  }
}

class AccessKey extends UsedAccessKey {
  readonly seq = 1;
}

const QUARTER = 900_000;
const DAY = 96 * QUARTER;
let test: TestApp;
let failing: FailingStorage;
let tally: UsageTally;
/** Every batch goes through the journal, as only large ones do otherwise. */
let journalling: UsageTally;
let keys: Key[];
let accessKey: AccessKey;
let errors: unknown[];

beforeAll(async () => {
  test = await startTestApp();
  for (const name of ['one', 'two', 'three']) await test.client.post('/api-keys', { name });
});
afterAll(() => test?.close());

/** Whatever a use of a key leaves. */
const USAGE_TABLES = [
  ...['minutes', 'quarters', 'days', 'months'].map((grain) => `usage_${grain}`),
  ...['minutes', 'quarters', 'days'].flatMap((g) => [`access_usage_${g}`, `project_${g}`]),
  ...['key_usage', 'project_usage', 'usage_journal', 'usage_flushes', 'events'],
];

/** To start the service for each of a hundred tests costs more than all that they do. */
const forgetUsage = () =>
  test.storage.transaction(async (tx) => {
    for (const table of USAGE_TABLES) await sql`delete from ${sql.table(table)}`.execute(tx);
    await sql`update usage_watermarks set rolled_until = 0, cursor = 0`.execute(tx);
  });

beforeEach(async () => {
  await forgetUsage();
  test.clock.now = START;
  failing = new FailingStorage(test.storage);
  errors = [];
  const ids = createIds();
  const tallyWith = (directKeysMax?: number) =>
    new UsageTally({
      write: usageWriter({
        directKeysMax,
        storage: failing.storage,
        outbox: new TransactionalOutbox({
          storage: test.storage,
          secrets: test.secrets,
          ids,
          wake: () => {},
        }),
        describe: firstUseEvents,
        clock: () => test.clock.now,
      }),
      onError: (error) => errors.push(error),
    });
  tally = tallyWith();
  journalling = tallyWith(0);
  const rows = await test.storage.point
    .selectFrom('api_keys')
    .select(['seq', 'project_id'])
    .execute();
  keys = rows.map((row) => new Key(row.seq, row.project_id));
  accessKey = new AccessKey();
});

const sumOf = async (table: string): Promise<number> => {
  const { rows } = await sql<{ n: number | null }>`
    select sum(valid + rate_limited + revoked + expired + domain_denied) as n
    from ${sql.table(table)}`.execute(test.storage.point);
  return rows[0]!.n ?? 0;
};

const toldBy = async (query: string): Promise<number> => {
  const { body } = await test.client.get(`/analytics/api-key-totals?${query}`);
  return body.reduce((sum: number, row: { total: number }) => sum + row.total, 0);
};

const eventsOf = async (): Promise<number> =>
  (
    await test.storage.point
      .selectFrom('events')
      .select('id')
      .where('type', '=', 'api-key.firstUsed')
      .execute()
  ).length;

const lastUses = async (): Promise<number[]> =>
  (
    await test.storage.point
      .selectFrom('key_usage')
      .select('last_used_at')
      .orderBy('key_seq')
      .execute()
  ).map((row) => row.last_used_at);

const EVERY_POINT: readonly FailAt[] = [
  ...Array.from({ length: 24 }, (_, n) => n + 1),
  'after commit',
];

describe.each(EVERY_POINT)('a flush that fails before statement %s', (failAt) => {
  it.each(['at once', 'through the journal'])(
    '%s: loses nothing and counts nothing twice',
    async (way) => {
      const isJournalled = way === 'through the journal';
      if (isJournalled) tally = journalling;
      let counted = 0;
      const count = (n: number) => {
        for (const key of keys.slice(0, n)) {
          tally.count('valid', key, accessKey, test.clock.now);
          tally.count('rate_limited', key, accessKey, test.clock.now);
          counted += 2;
        }
      };
      count(2);
      failing.failAt = failAt;
      await tally.flush();
      count(3);
      // The next minute makes a batch of its own behind the one that failed.
      test.clock.now += 60_000;
      count(1);
      await tally.flush();
      failing.failAt = null;
      await tally.flush();
      if (isJournalled) expect(await sumOf('usage_minutes')).toBe(0);
      await test.app.usageKeeper.settle();
      expect(await sumOf('usage_minutes')).toBe(counted);
      expect(await sumOf('project_minutes')).toBe(counted);
      expect(await sumOf('access_usage_minutes')).toBe(counted);
      expect(await eventsOf()).toBe(3);
      expect(await lastUses()).toEqual([
        test.clock.now,
        test.clock.now - 60_000,
        test.clock.now - 60_000,
      ]);
      expect(errors.length > 0).toBe(failing.failed);
      const { rows } = await sql<{ start: number; n: number }>`
      select start, sum(valid) as n from usage_minutes group by start order by start`.execute(
        test.storage.point,
      );
      expect(rows.map(({ n }) => n)).toEqual([5, 1]);
    },
  );
});

/** All that a flush leaves, under names that are the same whenever it is done. */
async function leftBehind(): Promise<unknown> {
  await test.app.usageKeeper.settle();
  const rowsOf = async (query: string) => (await sql.raw(query).execute(test.storage.point)).rows;
  const ofProjects = (grain: string) =>
    rowsOf(`select u.project_id, m.start, m.valid, m.rate_limited, m.revoked, m.expired,
      m.domain_denied from project_${grain} m join project_usage u on u.seq = m.seq
      order by m.start, u.project_id`);
  return {
    minutes: await rowsOf('select * from usage_minutes order by start, seq'),
    quarters: await rowsOf('select * from usage_quarters order by start, seq'),
    accessMinutes: await rowsOf('select * from access_usage_minutes order by start, seq'),
    accessQuarters: await rowsOf('select * from access_usage_quarters order by start, seq'),
    projectMinutes: await ofProjects('minutes'),
    projectQuarters: await ofProjects('quarters'),
    projects: await rowsOf(
      'select project_id, first_used_at, last_used_at from project_usage order by project_id',
    ),
    lastUses: await rowsOf('select * from key_usage order by key_seq'),
    accessKey: await rowsOf('select last_used_at from access_keys where seq = 1'),
  };
}

describe('batches that travel whole', () => {
  /** The same uses, with a quarter-hour summed up before the last of them arrive late. */
  async function useKeys(counting: UsageTally): Promise<void> {
    const outcomes = ['valid', 'valid', 'rate_limited', 'revoked', 'domain_denied'] as const;
    for (const [n, stepMs] of [0, 1_000, 59_000, QUARTER, 7, 60_000].entries()) {
      test.clock.now += stepMs;
      for (const [k, key] of keys.entries())
        counting.count(outcomes[(n + k) % 5]!, key, accessKey, test.clock.now);
      counting.countMiss('unknown', accessKey, test.clock.now);
      await counting.flush();
    }
    test.clock.now += 2 * QUARTER;
    for (const subject of SUBJECTS) while (await rollUpStep(test.storage, subject, test.clock.now));
    test.clock.now -= 2 * QUARTER;
    counting.count('valid', keys[1]!, accessKey, test.clock.now);
    await counting.flush();
  }

  it.each([null, 'after commit', 1, 2, 3] as const)(
    'leave what they would leave statement by statement, failing at %s',
    async (failAt) => {
      const used = [];
      for (const isWhole of [false, true]) {
        await forgetUsage();
        test.clock.now = START;
        for (const key of keys) key.firstUsedAt = null;
        accessKey = new AccessKey();
        await test.storage.transaction((tx) =>
          sql`update access_keys set last_used_at = null`.execute(tx),
        );
        const storage = isWhole ? failing.storage : { ...test.storage, script: undefined };
        const counting = new UsageTally({
          write: usageWriter({
            directKeysMax: 0,
            storage,
            outbox: new TransactionalOutbox({
              storage: test.storage,
              secrets: test.secrets,
              ids: createIds(),
              wake: () => {},
            }),
            describe: firstUseEvents,
            clock: () => test.clock.now,
          }),
          onError: (error) => errors.push(error),
        });
        for (const key of keys) counting.count('valid', key, accessKey, test.clock.now);
        await counting.flush();
        failing.failAt = isWhole ? failAt : null;
        await useKeys(counting);
        failing.failAt = null;
        await counting.flush();
        await counting.flush();
        used.push(await leftBehind());
      }
      expect(used[1]).toEqual(used[0]);
      expect(errors.length > 0).toBe(failAt !== null);
    },
  );
});

it('meets every point at which a flush can fail', async () => {
  tally.count('valid', keys[0]!, accessKey, test.clock.now);
  failing.failAt = 24;
  await tally.flush();
  // A flush has fewer statements than the points above: none is left untried.
  expect(failing.failed).toBe(false);
});

describe.each([...Array.from({ length: 9 }, (_, n) => n + 1), 'after commit' as const])(
  'summing up that fails before statement %s of each step',
  (failAt) => {
    it('adds everything once', async () => {
      const begin = test.clock.now;
      for (let n = 0; n < 40; n++) {
        test.clock.now = begin + n * 3 * QUARTER + n * 60_000;
        for (const key of keys) tally.count('valid', key, accessKey, test.clock.now);
      }
      await tally.flush();
      const now = test.clock.now + 2 * QUARTER;
      for (const subject of SUBJECTS)
        for (;;) {
          failing.failAt = failAt;
          await rollUpStep(failing.storage, subject, now).catch(() => {});
          failing.failAt = null;
          if (!(await rollUpStep(failing.storage, subject, now))) break;
        }
      const all = 40 * keys.length;
      for (const table of ['usage_quarters', 'project_quarters', 'access_usage_quarters'])
        expect(await sumOf(table)).toBe(all);
      const { rows } = await sql<{ until: number }>`
        select rolled_until as until from usage_watermarks where level = 'key quarters'`.execute(
        test.storage.point,
      );
      const before = await sql<{ n: number }>`select sum(valid) as n from usage_quarters
        where start < ${rows[0]!.until}`.execute(test.storage.point);
      expect(before.rows[0]!.n).toBeGreaterThan(0);
      expect(await sumOf('usage_days')).toBe(before.rows[0]!.n);
      expect(await sumOf('usage_months')).toBe(before.rows[0]!.n);
      expect(await sumOf('project_days')).toBe(before.rows[0]!.n);
      expect(await sumOf('access_usage_days')).toBe(before.rows[0]!.n);
    });
  },
);

describe('a minute of very many batches', () => {
  const waiting = async (): Promise<number> =>
    (await test.storage.point.selectFrom('usage_journal').select('id').execute()).length;

  /** Keys that are used again and again, and some that are used once. */
  async function useOften(batches: number, distinct = 0): Promise<number> {
    for (const key of keys) key.firstUsedAt = 1;
    let counted = 0;
    for (let n = 0; n < batches; n++) {
      const once = Array.from({ length: distinct }, (_, k) => {
        const key = new Key(1_000 + n * distinct + k, keys[0]!.project.id);
        key.firstUsedAt = 1;
        return key;
      });
      for (const key of [...keys, ...once]) {
        const outcome = (n + key.seq) % 3 === 0 ? 'rate_limited' : 'valid';
        journalling.count(outcome, key, accessKey, test.clock.now);
        counted++;
      }
      await journalling.flush();
      test.clock.now += 100;
    }
    return counted;
  }

  it('becomes one that says the same, and then what is to be added', async () => {
    const counted = await useOften(260);
    expect(await waiting()).toBe(260);
    const keeper = new UsageKeeper({
      storage: test.storage,
      clock: () => test.clock.now,
      retention: DEFAULT_RETENTION,
      onError: (error) => errors.push(error),
    });
    await keeper.run();
    expect(await waiting()).toBeLessThan(125);
    expect(await sumOf('usage_minutes')).toBe(0);
    await keeper.settle();
    expect([await waiting(), await sumOf('usage_minutes')]).toEqual([0, counted]);
    const { rows } = await sql<{ seq: number; valid: number; limited: number }>`
      select seq, valid, rate_limited as limited from usage_minutes order by seq`.execute(
      test.storage.point,
    );
    const limited = keys.map(
      ({ seq }) =>
        Array.from({ length: 260 }, (_, n) => n).filter((n) => (n + seq) % 3 === 0).length,
    );
    expect(rows.map((row) => row.limited)).toEqual(limited);
    expect(rows.map((row) => row.valid + row.limited)).toEqual(keys.map(() => 260));
    await keeper.stop();
  });

  it('keeps the place of its oldest batch: who adds up to any of them misses none', async () => {
    const counted = await useOften(130);
    const journal = new UsageJournal(test.storage);
    const { id } = await test.storage.point
      .selectFrom('usage_journal')
      .select('id')
      .orderBy('id')
      .executeTakeFirstOrThrow();
    expect(await journal.condense()).toBe(true);
    while (await journal.step(id));
    expect(await sumOf('usage_minutes')).toBe(counted);
  });

  it('is left to be added where its keys are all different, or are being added', async () => {
    const counted = await useOften(4, 50);
    const journal = new UsageJournal(test.storage);
    expect(await journal.condense()).toBe(false);
    expect(await waiting()).toBe(4);
    const more = await useOften(1);
    await test.storage.transaction((tx) => sql`update usage_journal set folding = 1`.execute(tx));
    expect(await journal.condense()).toBe(false);
    while (await journal.step());
    expect(await sumOf('usage_minutes')).toBe(counted + more);
  });

  it.each([1, 2, 3, 'after commit'] as const)(
    'that fails to become one, at %s, says the same still',
    async (failAt) => {
      const counted = await useOften(20);
      failing.failAt = failAt;
      await expect(new UsageJournal(failing.storage).condense()).rejects.toThrow();
      failing.failAt = null;
      const journal = new UsageJournal(failing.storage);
      await journal.condense();
      while (await journal.step());
      expect(await sumOf('usage_minutes')).toBe(counted);
    },
  );
});

/** In the first batch: so many that a minute takes several steps. */
const FIRST_KEYS = scaled(4_000, 1_500);

describe.each([...Array.from({ length: 12 }, (_, n) => n + 1), 'after commit' as const])(
  'adding the journal to its minutes, failing before statement %s of each step',
  (failAt) => {
    it('adds everything once', async () => {
      const many = Array.from(
        { length: FIRST_KEYS + 1_000 },
        (_, n) => new Key(n + 1, keys[0]!.project.id),
      );
      for (const key of many) key.firstUsedAt = 1;
      let counted = 0;
      for (let batch = 0; batch < 6; batch++) {
        for (const key of many.slice(batch * 100, FIRST_KEYS + batch * 200)) {
          journalling.count('valid', key, accessKey, test.clock.now);
          counted++;
        }
        await journalling.flush();
        if (batch % 2 === 1) test.clock.now += 60_000;
      }
      const journal = new UsageJournal(failing.storage);
      for (;;) {
        failing.failAt = failAt;
        await journal.step().catch(() => {});
        failing.failAt = null;
        // Now and then another process goes on with it.
        const other = new UsageJournal(failing.storage);
        if (!(await (counted % 3 === 0 ? other : journal).step())) break;
      }
      expect(await sumOf('usage_minutes')).toBe(counted);
      const { rows } = await sql<{ start: number; n: number }>`
        select start, count(*) as n from usage_minutes group by start order by start`.execute(
        test.storage.point,
      );
      expect(rows.map(({ n }) => n)).toEqual([200, 400, 600].map((more) => FIRST_KEYS + more));
    });
  },
);

describe('reading what is journalled', () => {
  const waiting = async (): Promise<number> =>
    (await test.storage.point.selectFrom('usage_journal').select('id').execute()).length;
  const journalOne = async () => {
    journalling.count('valid', keys[0]!, accessKey, test.clock.now);
    await journalling.flush();
  };

  it('ends although more is journalled all the time', async () => {
    await journalOne();
    let more = 0;
    const busy: Storage = {
      ...test.storage,
      async transaction(work, options) {
        if (more < 20) {
          more++;
          await journalOne();
        }
        return test.storage.transaction(work, options);
      },
    };
    const keeper = new UsageKeeper({
      storage: busy,
      clock: () => test.clock.now,
      retention: DEFAULT_RETENTION,
      onError: (error) => errors.push(error),
    });
    await keeper.settle();
    expect(await sumOf('usage_minutes')).toBe(1);
    expect(await waiting()).toBe(more);
    expect(more).toBeLessThan(20);
  });

  it('sees all that was there when it was asked for, also while another is at work', async () => {
    await journalOne();
    const first = test.app.usageKeeper.settle();
    await test.storage.transaction(async () => {});
    await journalOne();
    await Promise.all([test.app.usageKeeper.settle(), test.app.usageKeeper.settle()]);
    expect(await sumOf('usage_minutes')).toBe(2);
    await first;
    expect(await waiting()).toBe(0);
  });

  it.each([
    ['project-totals', 1],
    ['usage?groupBy=outcome&interval=hour', 1],
    ['usage?groupBy=accessKey&interval=hour', 1],
    ['project-totals?customUserId=null', 0],
    ['api-key-totals', 0],
    ['usage?groupBy=outcome&interval=hour&customUserId=null', 0],
    ['usage?groupBy=customUserId&interval=hour', 0],
  ])('%s leaves %i batches where they are', async (path, left) => {
    await journalOne();
    const { status, body } = await test.client.get(`/analytics/${path}`);
    expect(status).toBe(200);
    expect(body.reduce((sum: number, row: { total: number }) => sum + row.total, 0)).toBe(1);
    expect(await waiting()).toBe(left);
  });
});

it('a stop writes what a failed flush had left', async () => {
  tally.count('valid', keys[0]!, accessKey, test.clock.now);
  failing.failAt = 3;
  await tally.flush();
  failing.failAt = null;
  tally.count('valid', keys[0]!, accessKey, test.clock.now);
  await tally.stop();
  expect(await sumOf('usage_minutes')).toBe(2);
});

it('who asks for usage is told what is journalled, too', async () => {
  for (const key of keys) journalling.count('valid', key, accessKey, test.clock.now);
  await journalling.flush();
  expect(await sumOf('usage_minutes')).toBe(0);
  expect(await toldBy('')).toBe(keys.length);
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'what is summed up behind the back of a reader, after its statement %i, is told once',
  async (statement) => {
    const begin = test.clock.now + 5 * DAY;
    for (let quarter = 0; quarter < 200; quarter++)
      for (const key of keys) tally.count('valid', key, accessKey, begin + quarter * QUARTER);
    await tally.flush();
    // The first day is summed up before, into a month that goes on; the second meanwhile.
    while (await rollUpStep(test.storage, KEYS, begin + 110 * QUARTER));
    let asked = 0;
    const db = test.storage.read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (++asked === statement)
          while (await rollUpStep(test.storage, KEYS, begin + 201 * QUARTER));
        return result;
      },
    });
    const seqs = keys.map(({ seq }) => seq);
    const all = { from: 0, until: 8.64e15, grain: 'months', asOne: true } as const;
    const rows = await readCounts(db, bySeq(KEYS, seqs), all);
    const told = rows.reduce((sum, { counts }) => sum + counts[0]!, 0);
    expect(told).toBe(200 * keys.length);
    expect(asked).toBeGreaterThanOrEqual(Math.min(statement, 4));
  },
);

it('what comes late between two steps is added to what is summed up already, and only there', async () => {
  // Not the first of a month: a day that is half done must not be taken for a part of its month.
  const begin = test.clock.now + 5 * DAY;
  let counted = 0;
  const countAll = async (at: number) => {
    test.clock.now = at;
    for (const key of keys) tally.count('valid', key, accessKey, at);
    counted += keys.length;
    await tally.flush();
  };
  for (let quarter = 0; quarter < 100; quarter++) await countAll(begin + quarter * QUARTER);
  const now = begin + 101 * QUARTER;
  // After every step, late by one quarter-hour or another, also of that which is half done.
  for (let step = 0; ; step++) {
    const steps = await Promise.all(
      SUBJECTS.map((subject) => rollUpStep(test.storage, subject, now)),
    );
    if (!steps.some(Boolean)) break;
    if (step < 260) await countAll(begin + (step % 100) * QUARTER + 60_000);
    test.clock.now = now;
    // Whoever asks between two steps hears every count once.
    const groupings = ['all', 'day', 'month'];
    for (const grouping of isFull ? groupings : [groupings[step % 3]])
      expect(await toldBy(`dateGrouping=${grouping}`), `${grouping}, step ${step}`).toBe(counted);
  }
  expect(await sumOf('usage_minutes')).toBe(counted);
  expect(await sumOf('usage_quarters')).toBe(counted);
  expect(await sumOf('project_quarters')).toBe(counted);
  expect(await sumOf('access_usage_quarters')).toBe(counted);
  const { rows } = await sql<{ n: number }>`select sum(valid) as n from usage_quarters
    where start < ${begin + DAY}`.execute(test.storage.point);
  expect(await sumOf('usage_days')).toBe(rows[0]!.n);
  expect(await sumOf('usage_months')).toBe(rows[0]!.n);
}, 120_000);
