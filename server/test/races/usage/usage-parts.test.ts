import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/test-app.ts';
import type { FailAt } from './usage-failing-storage.ts';
import { FailingUsage, Key, startWithKeys } from './usage-flush-harness.ts';

const DAY = 86_400_000;
let test: TestApp;
let usage: FailingUsage;
/** The keys of the test, of a project that declares resources. */
let keys: readonly Key[];

beforeAll(async () => {
  test = await startWithKeys();
});
afterAll(() => test?.close());
beforeEach(async () => {
  usage = await FailingUsage.create(test);
  keys = usage.keys.map(({ seq, project }) => new Key(seq, project.id, ['POST:*', 'GET:/v1']));
});

const costOf = (tokens: number): ReadonlyMap<string, number> =>
  new Map([
    ['requests', 1],
    ['credits', 1],
    ['tokens', tokens],
  ]);

/** The sums of a table, as `key resource unit: sum`. */
async function sumsOf(kind: 'resource' | 'unit', level: string): Promise<string[]> {
  const column = sql.ref(kind === 'unit' ? 'amount' : 'valid');
  const { rows } = await sql<{ name: string; sum: number }>`
    select coalesce(p.key_seq, 0) || ' ' || p.resource || ' ' || p.unit as name, sum(${column}) as sum
    from ${sql.table(`${kind}_${level}`)} as u join usage_parts as p on p.seq = u.seq
    group by 1 order by 1`.execute(test.storage.point);
  return rows.map(({ name, sum }) => `${name}: ${sum}`);
}

const rowCount = async (table: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
    test.storage.point,
  );
  return Number(rows[0]!.n);
};

it('writes nothing for keys whose project declares no resources, and which name no units', async () => {
  const { tally, accessKey } = usage;
  for (const key of usage.keys)
    tally.count('valid', key, accessKey, test.clock.now, { cost: 5, resource: 'POST:/a' });
  await tally.flush();
  expect(await usage.sumOf('usage_minutes')).toBe(3);
  for (const table of ['usage_parts', 'resource_quarters', 'unit_quarters'])
    expect(await rowCount(table)).toBe(0);
});

const EVERY_POINT: readonly FailAt[] = [
  ...Array.from({ length: 30 }, (_, n) => n + 1),
  'after commit',
];

describe.each(EVERY_POINT)('a flush whose failure point is %s', (failAt) => {
  it('counts each resource and unit once, of keys and of their project', async () => {
    const { failing, tally, accessKey } = usage;
    const [one, two] = keys as [Key, Key];
    const count = (key: Key, resource: string | null, tokens: number) =>
      tally.count('valid', key, accessKey, test.clock.now, { cost: costOf(tokens), resource });
    count(one, 'POST:/chat', 100);
    failing.failAt = failAt;
    await tally.flush();
    count(one, 'POST:/chat', 20);
    count(one, 'GET:/v1', 3);
    test.clock.now += 60_000;
    count(two, null, 4_000_000_000);
    tally.count('rate_limited', two, accessKey, test.clock.now, {
      cost: costOf(7),
      resource: 'POST:/chat',
    });
    await tally.flush();
    failing.failAt = null;
    await tally.flush();
    const { seq: a } = one;
    const { seq: b } = two;
    const expected = {
      resource: [
        ...['0 GET:/v1 : 1', '0 POST:* : 2', '0 other : 1'],
        ...[`${a} GET:/v1 : 1`, `${a} POST:* : 2`, `${b} POST:* : 0`, `${b} other : 1`],
      ],
      unit: [
        ...['0 GET:/v1 tokens: 3', '0 POST:* tokens: 120', '0 other tokens: 4000000000'],
        ...[`${a} GET:/v1 tokens: 3`, `${a} POST:* tokens: 120`, `${b} other tokens: 4000000000`],
      ],
    };
    for (const kind of ['resource', 'unit'] as const)
      expect(await sumsOf(kind, 'quarters')).toEqual(expected[kind].toSorted());
    test.clock.now += 2 * DAY;
    await test.app.usageMaintenance.run();
    for (const kind of ['resource', 'unit'] as const)
      for (const level of ['days', 'months'])
        expect(await sumsOf(kind, level)).toEqual(expected[kind].toSorted());
  });
});

it('covers every statement at which a flush can fail', async () => {
  const { failing, tally, accessKey } = usage;
  tally.count('valid', keys[0]!, accessKey, test.clock.now, {
    cost: costOf(1),
    resource: 'POST:/chat',
  });
  failing.failAt = 30;
  await tally.flush();
  expect(failing.failed).toBe(false);
});

it('adds late counts to days and months that are already rolled up', async () => {
  const { tally, accessKey } = usage;
  const begin = test.clock.now;
  tally.count('valid', keys[0]!, accessKey, begin, { cost: costOf(1), resource: 'POST:/chat' });
  await tally.flush();
  test.clock.now += 2 * DAY;
  await test.app.usageMaintenance.run();
  test.clock.now = begin;
  tally.count('valid', keys[0]!, accessKey, begin, { cost: costOf(2), resource: 'POST:/chat' });
  await tally.flush();
  const { seq } = keys[0]!;
  for (const level of ['quarters', 'days', 'months'])
    expect(await sumsOf('unit', level)).toEqual(
      ['0 POST:* tokens: 3', `${seq} POST:* tokens: 3`].toSorted(),
    );
});

it('rolls up days that are over, and no other', async () => {
  const { tally, accessKey } = usage;
  const use = { cost: costOf(1), resource: 'POST:/chat' };
  tally.count('valid', keys[0]!, accessKey, test.clock.now, use);
  await tally.flush();
  await test.app.usageMaintenance.run();
  expect(await rowCount('unit_days')).toBe(0);
  const { rows } = await sql<{ until: number }>`select rolled_until as until from usage_watermarks
    where level in ('resource quarters', 'unit quarters')`.execute(test.storage.point);
  for (const { until } of rows) expect(until).toBeLessThanOrEqual(test.clock.now);
});

it('deletes hours that are too old, and keeps days', async () => {
  const { tally, accessKey } = usage;
  tally.count('valid', keys[0]!, accessKey, test.clock.now, {
    cost: costOf(1),
    resource: 'POST:/chat',
  });
  await tally.flush();
  test.clock.now += 100 * DAY;
  await test.app.usageMaintenance.run();
  expect(await rowCount('resource_quarters')).toBe(0);
  expect(await rowCount('unit_quarters')).toBe(0);
  expect(await rowCount('resource_days')).toBe(2);
  expect(await rowCount('unit_months')).toBe(2);
});

it('a key that is erased takes its counts with it, and the sums of its project stay', async () => {
  const { tally, accessKey } = usage;
  const { body } = await test.client.post('/api-keys', { name: 'Erased' });
  const { seq, project_id } = await test.storage.point
    .selectFrom('api_keys')
    .select(['seq', 'project_id'])
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow();
  const erased = new Key(seq, project_id, ['POST:*']);
  const count = () =>
    tally.count('valid', erased, accessKey, test.clock.now, {
      cost: costOf(5),
      resource: 'POST:/chat',
    });
  count();
  await tally.flush();
  test.clock.now += 2 * DAY;
  await test.app.usageMaintenance.run();
  await test.client.delete(`/api-keys/${body.id}?permanent=true`);
  expect(await sumsOf('unit', 'days')).toEqual(['0 POST:* tokens: 5']);
  // Counted before it was erased, written afterwards.
  count();
  await tally.flush();
  test.clock.now += 2 * DAY;
  await test.app.usageMaintenance.run();
  expect(await sumsOf('unit', 'months')).toEqual(['0 POST:* tokens: 10']);
});

it('a node writes with another: both find the same parts', async () => {
  const { accessKey } = usage;
  const tallies = [usage.tallyOn(test.storage), usage.tallyOn(test.storage)];
  for (const tally of tallies)
    for (const key of keys)
      tally.count('valid', key, accessKey, test.clock.now, {
        cost: costOf(1),
        resource: 'POST:/chat',
      });
  await Promise.all(tallies.map((tally) => tally.flush()));
  expect(usage.errors).toEqual([]);
  expect(await rowCount('usage_parts')).toBe(8);
  expect((await sumsOf('unit', 'quarters'))[0]).toBe('0 POST:* tokens: 6');
});
