// 12 s of CPU: weeks of random validations, every report of them compared with a recount.
import { KEY_OUTCOMES, OUTCOMES } from '@keyward/rules/outcomes.ts';
import { OTHER_RESOURCE } from '@keyward/rules/usage-resources.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../src/features/analytics/index.ts';
import { scaled } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import {
  type Buckets,
  byBucket,
  countOf,
  filledStarts,
  type Interval,
  type KnownKey,
  type RecordedValidation,
  totalFields,
  usageFields,
} from './usage-recount.ts';
import { PATTERNS, UsageWorld } from './usage-world.ts';

/**
 * Random validations over weeks with daylight-saving changes in several zones, flushed and rolled
 * up at random times. Every report must agree with a simple recount of all validations.
 */
const SEED = runSeed();
const random = new SeededRandom(SEED);
const DAY = 86_400_000;
/** New York changes on 10 March, Berlin on the 31st, Lord Howe by half an hour on 7 April. */
const BEGIN = Date.UTC(2030, 2, 8, 3, 30);
const END = Date.UTC(2030, 3, 9, 20, 15);
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

let test: TestApp;
let world: UsageWorld;
const iso = (ms: number): string => new Date(ms).toISOString();

beforeAll(async () => {
  test = await startTestApp();
  world = new UsageWorld(test);
  test.clock.now = BEGIN;
  await world.make();
  test.clock.now += 1;
  while (test.clock.now < END) {
    // Mostly bursts of a few minutes, with hours or days between them.
    const pause = random.chance(scaled(0.8, 0.6)) ? random.below(4 * 60_000) : random.below(DAY);
    await world.advance(pause);
    await world.validate(random, 12);
    if (random.chance(0.2)) await world.report(random);
    if (random.chance(0.2)) await world.validateUnits(random);
    if (random.chance(0.3)) await test.app.tally.flush();
    if (random.chance(0.15)) await test.app.usageMaintenance.run();
  }
  await test.app.tally.flush();
  console.log(`usage model: seed ${SEED}, ${world.validations.length} validations`);
});
afterAll(() => test.close());

/** Fetches a report in one response and page by page; both must be the same. */
async function fetchReport(
  path: string,
  query: Record<string, string | undefined>,
): Promise<object[]> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given as [string, string][]);
  const whole = await test.client.get(`${path}?${search}`);
  expect(whole.status, `${path}?${search}: ${whole.text.slice(0, 200)}`).toBe(200);
  search.set('limit', String(Math.min(1000, pageSize(whole.body.length))));
  const paged: object[] = [];
  for (let next: string | undefined = `${path}?${search}`; next !== undefined; ) {
    const { status, body, headers } = await test.client.get(next);
    expect(status).toBe(200);
    paged.push(...body);
    next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(paged, `${path}?${search}`).toEqual(whole.body);
  return whole.body;
}

/** Any size up to half of the list in a full run, about four pages in a quick run. */
function pageSize(rows: number): number {
  const smallest = scaled(1, Math.max(1, Math.floor(rows / 4)));
  return smallest + random.below(Math.max(1, Math.ceil(rows / 2) + 1 - smallest));
}

/** A random range; either end may be open. */
function randomRange(): Pick<Buckets, 'from' | 'to'> {
  const from = random.chance(0.6) ? BEGIN + random.below(END - BEGIN) : null;
  const to = random.chance(0.6) ? (from ?? BEGIN) + 1 + random.below(END - (from ?? BEGIN)) : null;
  return { from, to };
}
const text = (ms: number | null): string | undefined => (ms === null ? undefined : iso(ms));

interface Filter {
  readonly named: string;
  readonly query: Record<string, string>;
  fits(key: KnownKey): boolean;
  readonly resource?: string;
}

/** All filters in a full run, two random ones in a quick run. */
function filters(isByMinute = false): Filter[] {
  const all = allFilters().filter(({ resource }) => !isByMinute || resource === undefined);
  while (all.length > scaled(all.length, 2)) all.splice(random.below(all.length), 1);
  return all;
}

function allFilters(): Filter[] {
  const key = random.pick(world.keys);
  const project = random.pick(world.projects);
  const plan = random.pick(world.plans);
  return [
    { named: 'all', query: {}, fits: () => true },
    { named: 'a key by id', query: { key: key.id }, fits: ({ id }) => id === key.id },
    { named: 'a key by value', query: { key: key.value }, fits: ({ id }) => id === key.id },
    {
      named: 'a project',
      query: { projectId: project.id },
      fits: ({ projectId }) => projectId === project.id,
    },
    {
      named: 'a customer',
      query: { customAccountId: 'customer 1' },
      fits: ({ customAccountId }) => customAccountId === 'customer 1',
    },
    {
      named: 'no user',
      query: { customUserId: 'null' },
      fits: ({ customUserId }) => customUserId === null,
    },
    {
      named: 'a plan',
      query: { planId: plan.id },
      fits: ({ planId }) => planId === plan.id,
    },
    { named: 'no plan', query: { planId: 'null' }, fits: ({ planId }) => planId === null },
    ...[...PATTERNS, OTHER_RESOURCE].map((resource) => ({
      named: `resource ${resource}`,
      query: { resource },
      fits: () => true,
      resource,
    })),
    {
      named: 'a resource of a customer',
      query: { resource: 'POST:*', customAccountId: 'customer 1' },
      fits: ({ customAccountId }) => customAccountId === 'customer 1',
      resource: 'POST:*',
    },
  ];
}

const newestFirst = <T extends { id: string }>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => (a.id < b.id ? 1 : -1));

const validationsOf = (key: KnownKey, { resource }: Pick<Filter, 'resource'>) =>
  world.validations.filter(
    (each) => each.key?.id === key.id && (resource ?? each.resource) === each.resource,
  );

/** Without a grouping, the range is widened to whole hours. */
const inHours = (list: readonly RecordedValidation[], from: number | null, to: number | null) =>
  [...byBucket(list, { interval: 'hour', timeZone: 'UTC', from, to }).values()].flat();

type Totals = Exclude<Interval, 'minute'> | 'all';

/** Start of the hourly data, which is kept for ninety days; earlier hours are not filled. */
const hoursKeptFrom = (): number =>
  (Math.floor(test.clock.now / DAY) - DEFAULT_RETENTION.hourDays) * DAY;

function expectedBuckets(
  list: readonly RecordedValidation[],
  grouping: Totals,
  time: Pick<Buckets, 'from' | 'to'>,
  fillFrom: number | null,
): [date: string | null, counts: ReturnType<typeof countOf>][] {
  if (grouping === 'all') return [[null, countOf(inHours(list, time.from, time.to))]];
  const buckets = { interval: grouping, timeZone: 'UTC', ...time };
  const found = byBucket(list, buckets);
  const starts =
    fillFrom === null
      ? [...found.keys()]
      : filledStarts(
          time.from ?? Math.max(fillFrom, grouping === 'hour' ? hoursKeptFrom() : 0),
          time.to === null ? test.clock.now : time.to - 1,
          buckets,
        );
  return starts.map((start) => [iso(start), countOf(found.get(start) ?? [])]);
}

const GROUPINGS: readonly Totals[] = ['hour', 'day', 'week', 'month', 'all'];

describe.each(GROUPINGS)('api-key-totals by %s', (dateGrouping) => {
  it.each([undefined, 'total', 'name', 'lastUsedAt', 'cost'])('sorted by %s', async (sort) => {
    for (const filter of filters()) {
      const time = randomRange();
      const query = {
        dateGrouping,
        sort,
        ...filter.query,
        from: text(time.from),
        to: text(time.to),
      };
      const reported = await fetchReport('/analytics/api-key-totals', query);
      const keys = sorted(filter, sort, time, dateGrouping);
      const expected = keys.flatMap((key) => {
        const fill = filter.query.key === undefined ? null : key.createdAt;
        return expectedBuckets(validationsOf(key, filter), dateGrouping, time, fill).map(
          ([date, counts]) => ({
            id: key.id,
            key: key.mask,
            name: key.name,
            customAccountId: key.customAccountId,
            customUserId: key.customUserId,
            env: key.env,
            date,
            ...totalFields(counts),
            ...world.usesOf(key),
          }),
        );
      });
      expect(reported, `${filter.named} ${JSON.stringify(query)}`).toEqual(expected);
    }
  });
});

function sorted(
  filter: Filter,
  sort: string | undefined,
  time: Pick<Buckets, 'from' | 'to'>,
  grouping: Totals,
): KnownKey[] {
  const keys = newestFirst(world.keys.filter(filter.fits));
  const counts = (key: KnownKey) =>
    totalFields(
      countOf(
        grouping === 'all'
          ? inHours(validationsOf(key, filter), time.from, time.to)
          : [
              ...byBucket(validationsOf(key, filter), {
                interval: grouping,
                timeZone: 'UTC',
                ...time,
              }).values(),
            ].flat(),
      ),
    );
  const last = (key: KnownKey) => world.usesOf(key).lastUsedAt ?? '';
  if (sort === 'total' || sort === 'cost')
    return keys.toSorted((a, b) => counts(b)[sort] - counts(a)[sort]);
  if (sort === 'name')
    return keys.toSorted((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1));
  if (sort === 'lastUsedAt')
    return keys.toSorted((a, b) => (last(a) < last(b) ? 1 : last(a) > last(b) ? -1 : 0));
  return keys;
}

describe.each(GROUPINGS)('project-totals by %s', (dateGrouping) => {
  it.each([undefined, 'total', 'cost'] as const)('sorted by %s', async (sort) => {
    for (const filter of filters()) {
      const time = randomRange();
      const query = {
        dateGrouping,
        sort,
        ...filter.query,
        from: text(time.from),
        to: text(time.to),
      };
      const reported = await fetchReport('/analytics/project-totals', query);
      const rows = newestFirst(world.projects)
        .filter(({ id }) => (filter.query.projectId ?? id) === id)
        .map((project) => {
          const inside = world.keys.filter((key) => key.projectId === project.id);
          const list = inside.filter(filter.fits).flatMap((key) => validationsOf(key, filter));
          const fill = filter.query.projectId === undefined ? null : project.createdAt;
          const buckets = expectedBuckets(list, dateGrouping, time, fill);
          const uses = inside.map((key) => world.usesOf(key));
          const times = (name: 'firstUsedAt' | 'lastUsedAt') =>
            uses.flatMap((each) => each[name] ?? []).toSorted();
          const { id, name, env } = project;
          const used = {
            firstUsedAt: times('firstUsedAt')[0] ?? null,
            lastUsedAt: times('lastUsedAt').at(-1) ?? null,
          };
          return buckets.map(([date, counts]) => ({
            id,
            name,
            env,
            date,
            ...totalFields(counts),
            ...used,
          }));
        });
      const ordered = highestFirst(rows, sort);
      expect(reported, `${filter.named} ${JSON.stringify(query)}`).toEqual(ordered.flat());
    }
  });
});

type Counted = readonly Readonly<Record<'total' | 'cost', number>>[];

function highestFirst<T extends Counted>(groups: T[], by: 'total' | 'cost' | undefined): T[] {
  if (by === undefined) return groups;
  const sum = (rows: T) => rows.reduce((all, row) => all + row[by], 0);
  return groups.toSorted((a, b) => sum(b) - sum(a));
}

/**
 * Groups of keys by a property, in ascending order. A report that is sorted by total or cost lists groups
 * with equal sums in descending order.
 */
function groupsOf(
  keys: readonly KnownKey[],
  by: 'customAccountId' | 'customUserId' | 'planId',
  isDescending: boolean,
  projectId: string | undefined,
) {
  const order = (a: string | null, b: string | null) =>
    a === null ? 1 : b === null ? -1 : (isDescending ? a > b : a < b) ? -1 : 1;
  const nameOf = (group: string | null): string | null => {
    if (by === 'planId') return world.plans.find(({ id }) => id === group)?.name ?? null;
    if (by === 'customUserId') return null;
    const named = world.customers.filter(
      (each) => (projectId ?? each.projectId) === each.projectId,
    );
    return named.find(({ customAccountId }) => customAccountId === group)?.name ?? null;
  };
  return [...new Set(keys.map((key) => key[by]))].toSorted(order).map((group) => ({
    group,
    name: nameOf(group),
    keys: keys.filter((key) => key[by] === group),
  }));
}

/** UTC and all other zones in a full run, only two others in a quick run. */
function someZones(): string[] {
  const some = [...ZONES];
  while (some.length > scaled(ZONES.length, 3)) some.splice(1 + random.below(some.length - 1), 1);
  return some;
}

describe.each(['minute', 'hour', 'day', 'week', 'month'] as const)('usage by %s', (interval) => {
  describe.each(interval === 'minute' || interval === 'hour' ? ['UTC'] : someZones())(
    'in %s',
    (zone) => {
      const ends = (): { from: number; to: number | null } => {
        const reach = interval === 'minute' ? test.clock.now - 40 * 3_600_000 : BEGIN;
        const from = reach + random.below(test.clock.now - reach);
        return {
          from,
          to: random.chance(0.5) ? from + 1 + random.below(test.clock.now - from) : null,
        };
      };

      it.each(['key', 'customAccountId', 'customUserId', 'plan'] as const)(
        'groupBy=%s',
        async (groupBy) => {
          for (const filter of filters(interval === 'minute')) {
            const time = ends();
            const outcome = random.chance(0.3) ? random.pick(KEY_OUTCOMES) : undefined;
            const sort =
              outcome === undefined
                ? random.pick([undefined, 'total', 'cost'] as const)
                : undefined;
            const query = { groupBy, interval, timezone: zone, outcome, sort, ...filter.query };
            const reported = await fetchReport('/analytics/usage', {
              ...query,
              from: text(time.from),
              to: text(time.to),
            });
            const keys = newestFirst(world.keys.filter(filter.fits));
            const fill = filter.query.key !== undefined;
            const groups =
              groupBy === 'key'
                ? keys.map((key) => ({ group: key.id, name: key.name, keys: [key] }))
                : groupsOf(
                    keys,
                    groupBy === 'plan' ? 'planId' : groupBy,
                    sort !== undefined,
                    filter.query.projectId,
                  );
            const expected = groups.map((each) => {
              const list = each.keys
                .flatMap((key) => validationsOf(key, filter))
                .filter((one) => (outcome ?? one.outcome) === one.outcome);
              const buckets = {
                interval,
                timeZone: zone,
                from: time.from,
                to: time.to ?? test.clock.now + 1,
              };
              const found = byBucket(list, buckets);
              const starts = fill
                ? filledStarts(time.from, buckets.to - 1, buckets)
                : [...found.keys()];
              return starts.map((start) => ({
                group: each.group,
                name: each.name,
                date: iso(start),
                ...usageFields(countOf(found.get(start) ?? []), interval !== 'minute'),
              }));
            });
            const ordered = highestFirst(expected, sort);
            expect(reported, `${filter.named} ${JSON.stringify(query)}`).toEqual(ordered.flat());
          }
        },
      );

      // Usage by resource is not counted by minutes.
      if (interval !== 'minute')
        it('groupBy=resource', async () => {
          for (const filter of filters()) {
            const time = ends();
            const sort = random.pick([undefined, 'total', 'cost'] as const);
            const query = { groupBy: 'resource', interval, timezone: zone, sort, ...filter.query };
            const reported = await fetchReport('/analytics/usage', {
              ...query,
              from: text(time.from),
              to: text(time.to),
            });
            const buckets = {
              interval,
              timeZone: zone,
              from: time.from,
              to: time.to ?? test.clock.now + 1,
            };
            const list = world.keys
              .filter(filter.fits)
              .flatMap((key) => validationsOf(key, filter));
            const counted = Map.groupBy(list, ({ resource }) => resource);
            const direction = sort === undefined ? 1 : -1;
            const names = [...counted.keys()].filter((name) => name !== null);
            const expected = names
              .toSorted((a, b) => (a < b ? -direction : direction))
              .map((name) => {
                const found = byBucket(counted.get(name)!, buckets);
                return [...found.keys()].map((start) => ({
                  group: name,
                  name: null,
                  date: iso(start),
                  ...usageFields(countOf(found.get(start) ?? [])),
                }));
              });
            const ordered = highestFirst(expected, sort);
            expect(reported, `${filter.named} ${JSON.stringify(query)}`).toEqual(ordered.flat());
          }
        });

      it('groupBy=outcome', async () => {
        for (const filter of filters(interval === 'minute')) {
          const time = ends();
          const query = { groupBy: 'outcome', interval, timezone: zone, ...filter.query };
          const reported = await fetchReport('/analytics/usage', {
            ...query,
            from: text(time.from),
            to: text(time.to),
          });
          const { projectId, ...someKeys } = filter.query;
          const coversAllKeys = Object.keys(someKeys).length === 0;
          const callers = world.callers
            .filter(
              (caller) => coversAllKeys && (projectId ?? caller.projectId) === caller.projectId,
            )
            .map(({ id }) => id);
          const misses = world.validations.filter(
            ({ key, accessKeyId }) => key === null && callers.includes(accessKeyId),
          );
          const list = [
            ...world.keys.filter(filter.fits).flatMap((key) => validationsOf(key, filter)),
            ...misses,
          ];
          const buckets = {
            interval,
            timeZone: zone,
            from: time.from,
            to: time.to ?? test.clock.now + 1,
          };
          const starts = filledStarts(time.from, buckets.to - 1, buckets);
          const outcomes = coversAllKeys ? OUTCOMES : KEY_OUTCOMES;
          const expected = outcomes.flatMap((outcome) => {
            const found = byBucket(
              list.filter((each) => each.outcome === outcome),
              buckets,
            );
            return starts.map((start) => ({
              group: outcome,
              name: null,
              date: iso(start),
              ...usageFields(countOf(found.get(start) ?? []), interval !== 'minute'),
            }));
          });
          expect(reported, `${filter.named} ${JSON.stringify(query)}`).toEqual(expected);
        }
      });

      it('groupBy=accessKey', async () => {
        const time = ends();
        const query = { groupBy: 'accessKey', interval, timezone: zone };
        const reported = await fetchReport('/analytics/usage', {
          ...query,
          from: text(time.from),
          to: text(time.to),
        });
        const buckets = {
          interval,
          timeZone: zone,
          from: time.from,
          to: time.to ?? test.clock.now + 1,
        };
        const expected = newestFirst(world.callers).flatMap(({ id, name }) => {
          const list = world.validations.filter(({ accessKeyId }) => accessKeyId === id);
          return [...byBucket(list, buckets)].map(([start, inside]) => ({
            group: id,
            name,
            date: iso(start),
            ...usageFields(countOf(inside), false),
          }));
        });
        expect(reported, JSON.stringify(query)).toEqual(expected);
      });
    },
  );
});
