// 10 s of CPU: each test begins with a new installation, and one replays a month.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  UsageTally,
  UsedAccessKey,
  type UsedKey,
  usageWriter,
} from '../../src/features/analytics/index.ts';
import { UsagePeriods } from '../../src/features/signals/usage-periods.ts';
import { TransactionalOutbox } from '../../src/features/webhooks/events/outbox.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { storeEvents } from '../harness/store-events.ts';
import { START, startTestApp, type TestApp } from '../harness/test-app.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SETTLED = 12 * HOUR + 15 * 60_000;

let test: TestApp;
let reports = 0;
/** How far the wall clock has jumped ahead of the monotonic clock. */
let aheadMs: number;
beforeEach(async () => {
  aheadMs = 0;
  test = await startTestApp({ elapsed: () => test.clock.now - aheadMs });
  await storeEvents(test.client);
});
afterEach(async () => {
  await test.close();
  expect(test.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

const turnOn = async (interval: string, groupBy: string, projectId = test.projectId) => {
  const usageEvents = { interval, groupBy };
  const response = await test.client.patch(`/projects/${projectId}`, { usageEvents });
  expect([response.status, response.body.usageEvents]).toEqual([200, usageEvents]);
  await test.app.signals.run();
};

const newKey = async (body: object = {}): Promise<{ id: string; key: string }> =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;

const report = async (counts: object[], agoMs = 0) => {
  const reporter = 'a-reporter-of-this-test';
  const body = { reporter, number: ++reports, agoMs, counts };
  expect((await test.client.post('/usage', body)).status).toBe(200);
};
const valid = (keyId: string, count: number, cost = count) => ({
  keyId,
  outcome: 'valid',
  count,
  cost,
});

/** Creates keys, each used once. */
async function useImportedKeys(count: number): Promise<string[]> {
  const keys = await test.client.post('/api-keys/import', {
    keys: Array.from({ length: count }, (_, n) => ({
      name: `Key ${n}`,
      projectId: test.projectId,
      key: `an-imported-key-number-${n}`,
    })),
  });
  expect(keys.status, keys.text).toBeLessThan(300);
  const rows = await test.storage.read.selectFrom('api_keys').select('id').execute();
  for (let start = 0; start < rows.length; start += 500)
    await report(rows.slice(start, start + 500).map(({ id }) => valid(id, 1)));
  return rows.map(({ id }) => id);
}

/** Sends only the next part of each project, like a server that is stopped afterwards. */
const sendNextParts = (hoursKeptFrom = 0) =>
  new UsagePeriods({
    storage: test.storage,
    outbox: new TransactionalOutbox({
      storage: test.storage,
      secrets: test.secrets,
      ids: createIds(),
      wake() {},
      readPrincipal: async () => null,
    }),
    foldJournal: () => test.app.usageMaintenance.foldJournal(),
    hoursKeptFrom: () => hoursKeptFrom,
    elapsed: () => 0,
  }).step(test.clock.now);

async function runAt(now: number) {
  test.clock.now = now;
  await test.app.usageMaintenance.run();
  await test.app.signals.run();
}

const events = async () =>
  (
    await test.storage.read
      .selectFrom('events')
      .selectAll()
      .where('type', '=', 'usage.period')
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  ).map(({ id, data }) => ({ id, ...JSON.parse(data) }));

describe('usage.period', () => {
  it('is sent 12 hours and 15 minutes after the period, once', async () => {
    await turnOn('hour', 'key');
    const { id } = await newKey({ customAccountId: 'acme' });
    await report([valid(id, 3, 10), { keyId: id, outcome: 'rate_limited', count: 2 }]);
    await runAt(START + HOUR + SETTLED - 1);
    expect(await events()).toEqual([]);
    await runAt(START + HOUR + SETTLED);
    await runAt(START + HOUR + SETTLED + 1);
    expect(await events()).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        projectId: test.projectId,
        interval: 'hour',
        groupBy: 'key',
        start: new Date(START).toISOString(),
        end: new Date(START + HOUR).toISOString(),
        part: 1,
        isLast: true,
        rows: [
          {
            keyId: id,
            customAccountId: 'acme',
            total: 5,
            valid: 3,
            rateLimited: 2,
            denied: 0,
            cost: 10,
          },
        ],
      },
    ]);
  });

  it('has at most 500 rows, in as many parts as needed', async () => {
    await turnOn('hour', 'key');
    const keyIds = await useImportedKeys(600);
    await runAt(START + HOUR + SETTLED);
    const parts = await events();
    expect(parts.map(({ part, isLast, rows: { length } }) => [part, isLast, length])).toEqual([
      [1, false, 500],
      [2, true, 100],
    ]);
    const ids = parts.flatMap((part) => part.rows.map(({ keyId }: { keyId: string }) => keyId));
    expect(ids.sort()).toEqual(keyIds.sort());
  });

  it('has the same settings in all parts, even if they are changed meanwhile', async () => {
    await turnOn('hour', 'key');
    const keyIds = await useImportedKeys(600);
    test.clock.now = START + HOUR + SETTLED;
    await sendNextParts();
    expect(await events()).toHaveLength(1);
    await turnOn('day', 'customer');
    const parts = await events();
    const settings = {
      interval: 'hour',
      groupBy: 'key',
      end: new Date(START + HOUR).toISOString(),
    };
    expect(parts).toMatchObject([
      { part: 1, isLast: false, ...settings },
      { part: 2, isLast: true, ...settings },
    ]);
    const ids = parts.flatMap((part) => part.rows.map(({ keyId }: { keyId: string }) => keyId));
    expect(ids.sort()).toEqual(keyIds.sort());
    await runAt(START + DAY + SETTLED);
    expect((await events())[2]).toMatchObject({
      interval: 'day',
      groupBy: 'customer',
      start: new Date(START + HOUR).toISOString(),
      end: new Date(START + DAY).toISOString(),
    });
  });

  it('waits while the clock may be ahead', async () => {
    await turnOn('hour', 'key');
    const { id } = await newKey();
    await report([valid(id, 1)]);
    aheadMs = 10 * DAY;
    await runAt(START + 10 * DAY);
    expect(await events()).toEqual([]);
    aheadMs = 0;
    await runAt(START + 1);
    await report([valid(id, 2)]);
    await runAt(START + HOUR + SETTLED);
    expect(await events()).toMatchObject([{ part: 1, isLast: true, rows: [{ total: 3 }] }]);
  });

  it('is sent on time after the clock was wrong for a while, ahead or behind', async () => {
    await turnOn('hour', 'key');
    for (const [n, wrongMs] of [10 * DAY, -2 * HOUR].entries()) {
      const due = START + (n + 1) * HOUR + SETTLED;
      await runAt(due - 2);
      aheadMs = wrongMs;
      await runAt(due - 1 + wrongMs);
      expect(await events()).toHaveLength(n);
      aheadMs = 0;
      await runAt(due);
      expect(await events()).toHaveLength(n + 1);
    }
  });

  it('pauses when the clock was a day behind for a long time and is then corrected', async () => {
    await turnOn('hour', 'key');
    aheadMs = -DAY;
    await runAt(START - DAY);
    await runAt(START - DAY + SETTLED);
    aheadMs = 0;
    await runAt(START + SETTLED + HOUR);
    expect(await events()).toEqual([]);
  });

  it('begins with the current period when turned on again', async () => {
    await turnOn('hour', 'key');
    await test.client.patch(`/projects/${test.projectId}`, { usageEvents: null });
    test.clock.now = START + DAY;
    await turnOn('hour', 'key');
    expect(await events()).toEqual([]);
    await runAt(START + DAY + HOUR + SETTLED);
    expect(await events()).toMatchObject([{ start: new Date(START + DAY).toISOString() }]);
  });

  it('begins with the period in which it is turned on, even while events are paused', async () => {
    await runAt(START);
    aheadMs = DAY;
    await runAt(START + DAY);
    await turnOn('hour', 'key');
    const { id } = await newKey();
    await report([valid(id, 1)]);
    await runAt(START + DAY + HOUR + SETTLED);
    const start = new Date(START + DAY).toISOString();
    expect(await events()).toMatchObject([{ start, rows: [{ total: 1 }] }]);
  });

  it('waits while its project is inactive, and is sent after the reactivation', async () => {
    await turnOn('hour', 'key');
    const { id } = await newKey();
    await report([valid(id, 1)]);
    const { client, projectId } = test;
    expect((await client.delete(`/projects/${projectId}`)).status).toBe(200);
    await runAt(START + 2 * HOUR + SETTLED);
    expect(await events()).toEqual([]);
    expect((await client.patch(`/projects/${projectId}/reactivate`)).status).toBe(200);
    await test.app.signals.run();
    expect(await events()).toMatchObject([{ rows: [{ total: 1 }] }, { rows: [] }]);
  });

  it('leaves out hours whose usage is no longer kept', async () => {
    await turnOn('hour', 'key');
    const { id } = await newKey();
    await report([valid(id, 1)]);
    test.clock.now = START + 3 * DAY;
    const keptFrom = START + 2 * DAY;
    for (let n = 0; n < 2; n++) await sendNextParts(keptFrom);
    expect(await events()).toMatchObject([{ start: new Date(keptFrom).toISOString(), rows: [] }]);
  });

  it('is not sent twice if it was sent early by a clock that was ahead', async () => {
    test.clock.now = START + DAY;
    await turnOn('hour', 'key');
    await runAt(START + DAY + HOUR + SETTLED);
    expect(await events()).toHaveLength(1);
    await test.client.patch(`/projects/${test.projectId}`, { usageEvents: null });
    test.clock.now = START + DAY;
    await turnOn('hour', 'key');
    aheadMs = 0;
    await runAt(START + DAY + 2 * HOUR + SETTLED);
    expect((await events()).map(({ start }) => start)).toEqual([
      new Date(START + DAY).toISOString(),
      new Date(START + DAY + HOUR).toISOString(),
    ]);
  });

  it('is sent later if the clock stays ahead', async () => {
    await turnOn('hour', 'key');
    const { id } = await newKey();
    await report([valid(id, 1)]);
    aheadMs = DAY;
    await runAt(START + DAY);
    await runAt(START + DAY + SETTLED - 1);
    expect(await events()).toEqual([]);
    await runAt(START + DAY + SETTLED);
    expect((await events())[0]).toMatchObject({ rows: [{ total: 1 }] });
  });

  it('continues without gap or overlap after a pause and a change of settings', async () => {
    await turnOn('hour', 'key');
    const { id } = await newKey({ customAccountId: 'acme' });
    for (let n = 0; n < 30; n++) {
      test.clock.now = START + n * HOUR;
      await report([valid(id, 1)]);
    }
    await runAt(START + 5 * HOUR + SETTLED);
    expect(await events()).toHaveLength(5);
    await turnOn('day', 'customer');
    await runAt(START + 3 * DAY);
    const all = await events();
    for (const [n, { start }] of all.entries())
      expect(start).toBe(n === 0 ? new Date(START).toISOString() : all[n - 1].end);
    expect(all.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.total, 0)).toBe(30);
    expect(all[5]).toMatchObject({
      start: new Date(START + 5 * HOUR).toISOString(),
      end: new Date(START + DAY).toISOString(),
      rows: [{ keyId: null, customAccountId: 'acme', total: 19 }],
    });
  });

  it('counts deleted keys and keys without a customer in one row', async () => {
    await turnOn('hour', 'customer');
    const [gone, plain, acme] = [
      await newKey(),
      await newKey(),
      await newKey({ customAccountId: 'acme' }),
    ];
    await report([valid(gone.id, 1), valid(plain.id, 2), valid(acme.id, 4)]);
    await test.client.delete(`/api-keys/${gone.id}`);
    await test.client.delete(`/api-keys/${gone.id}?permanent=true`);
    await runAt(START + HOUR + SETTLED);
    expect((await events())[0].rows).toMatchObject([
      { keyId: null, customAccountId: null, total: 3 },
      { keyId: null, customAccountId: 'acme', total: 4 },
    ]);
  });

  it('needs analytics:read', async () => {
    const scopes = ['webhooks:read', 'webhooks:write'];
    const { body } = await test.client.post('/access-keys', { name: 'Limited', scopes });
    const hook = { name: 'Usage', url: 'https://example.com/hook', projectId: test.projectId };
    const wanted = { ...hook, topics: ['usage.period'] };
    const response = await test.client.as(body.key).post('/webhooks', wanted);
    expect([response.status, response.body.code]).toEqual([403, 'scope_missing']);
    expect((await test.client.post('/webhooks', wanted)).status).toBe(201);
  });
});

class Caller extends UsedAccessKey {
  readonly seq = 1;
}

/** A node that could not reach its database: it writes its counts much later. */
const lateTally = () =>
  new UsageTally({
    write: usageWriter({
      storage: test.storage,
      outbox: { write: async () => [], wake: () => {} } as never,
      firstUseEvents: async () => [],
      ids: createIds(),
      clock: () => test.clock.now,
    }),
    onError: (error) => {
      throw error;
    },
  });

describe('usage.period, over a month with late reports and flushes', () => {
  it('adds up exactly to the analytics', async () => {
    const random = new SeededRandom(runSeed());
    await turnOn('day', 'key');
    const keys = await Promise.all(
      [1, 2, 3].map((n) => newKey({ customAccountId: n === 3 ? null : `customer-${n}` })),
    );
    const rows = await test.storage.read.selectFrom('api_keys').select(['seq', 'id']).execute();
    const seqOf = new Map(rows.map(({ id, seq }) => [id, seq]));
    const late: { tally: UsageTally; at: number }[] = [];
    const end = START + 31 * DAY;
    for (let now = START; now < end + 3 * DAY; now += 4 * HOUR) {
      test.clock.now = now + random.below(HOUR);
      if (now < end) {
        const { id } = random.pick(keys);
        const agoMs = Math.min(random.below(12 * HOUR), test.clock.now - START);
        await report([valid(id, 1 + random.below(9), random.below(50))], agoMs);
        if (random.chance(0.3)) {
          const tally = lateTally();
          const key: UsedKey = {
            seq: seqOf.get(id)!,
            project: { id: test.projectId },
            firstUsedAt: 0,
          };
          const outcome = random.pick(['valid', 'expired'] as const);
          tally.count(outcome, key, new Caller(), test.clock.now, { cost: 7, resource: null });
          late.push({ tally, at: test.clock.now + random.below(2 * DAY) });
        }
      }
      for (const { tally } of late.filter(({ at }) => at <= test.clock.now)) await tally.flush();
      await test.app.usageMaintenance.run();
      await test.app.signals.run();
    }
    const until = `&from=${new Date(START).toISOString()}&to=${new Date(test.clock.now).toISOString()}`;
    const { body: expected } = await test.client.get(
      `/analytics/usage?groupBy=key&interval=day&limit=1000${until}`,
    );
    const sent = new Map<string, [number, number, number]>();
    for (const { start, rows } of await events())
      for (const { keyId, total, valid, cost } of rows)
        sent.set(`${start} ${keyId}`, [total, valid, cost]);
    const lastSent = (await events()).at(-1).end;
    const counted = new Map<string, [number, number, number]>();
    for (const { date, group, total, valid, cost } of expected)
      if (total > 0 && date < lastSent) counted.set(`${date} ${group}`, [total, valid, cost]);
    expect(counted.size).toBeGreaterThan(30);
    expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(counted));
  });
});
