import type { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../src/features/analytics/buckets/retention.ts';
import { INTERVALS } from '../../src/features/analytics/queries/calendar.ts';
import type { CountsFilter } from '../../src/features/analytics/queries/counts-filter.ts';
import { keyConditions, requireFewKeys } from '../../src/features/analytics/queries/key-sources.ts';
import { keySource } from '../../src/features/analytics/queries/key-totals.ts';
import { usesUnits } from '../../src/features/analytics/queries/parts.ts';
import { totalsRange, usageRange } from '../../src/features/analytics/queries/range.ts';
import { listSeries, type SeriesSource } from '../../src/features/analytics/queries/series.ts';
import { SORTS } from '../../src/features/analytics/queries/totals-query.ts';
import { GROUPINGS, groupSource } from '../../src/features/analytics/queries/usage-groups.ts';
import { filterOf } from '../../src/features/api-keys/list-filters.ts';
import { orderOf } from '../../src/features/api-keys/list-order.ts';
import { listKeys } from '../../src/features/api-keys/list-store.ts';
import { CountApiKeys, ListApiKeys } from '../../src/features/api-keys/schema.ts';
import { ListCustomers } from '../../src/features/customers/schema.ts';
import { listCustomerRows } from '../../src/features/customers/store.ts';
import { PageQuery } from '../../src/kernel/schemas.ts';
import { LOOKED_AT_MAX, type Storage } from '../../src/storage/index.ts';
import { openTestStorage } from '../harness/test-storage.ts';
import { createManyKeys, idOf, NOW, PROJECT, tenant } from './many-keys.ts';
import { postgresRows, queriesOf, sqliteFaults, sqliteSearches } from './query-plans.ts';

let storage: Storage;
let dispose: () => Promise<void>;
beforeAll(async () => {
  ({ storage, dispose } = await openTestStorage());
  await createManyKeys(storage);
});
afterAll(() => dispose());

const SIZE = 100;
const RANGE = { after: null, offset: 0, size: SIZE };
/** What finding out whether there are few rows may read. */
const FEW = LOOKED_AT_MAX + 1;

/** Rows that a page may read: 5,000 are looked at if there is no index, otherwise the page and a first part. */
const ROWS_MAX = 5_000;
const LOOKED_AT_ROWS_MAX = 4 * LOOKED_AT_MAX;

/** The keys of a source of at most 100,000 are sorted; and a query that gives only the types of its columns. */
const ALLOWED = /^SCAN m$|ORDER BY of SEARCH m USING INTEGER PRIMARY KEY \(rowid=\?\)$/;

async function check(work: () => Promise<unknown>, rowsMax = ROWS_MAX): Promise<CompiledQuery[]> {
  const queries = await queriesOf(storage, work);
  expect(queries).not.toEqual([]);
  for (const query of queries) {
    if (storage.engine === 'sqlite')
      expect((await sqliteFaults(storage, query)).filter((fault) => !ALLOWED.test(fault))).toEqual(
        [],
      );
    else {
      const most = query.sql.includes('as few') ? Math.max(2 * FEW, rowsMax) : rowsMax;
      expect([query.sql, await postgresRows(storage, query)]).toSatisfy(([, rows]) => rows <= most);
    }
  }
  return queries;
}

/** Each filter with a value that all keys have, and one that none has. Without an index: keys are looked at. */
type Samples<F> = Record<keyof F, { many: unknown; none: unknown; hasNoIndex?: 'many' | 'both' }>;

const pln = (n: number) => idOf('pln', n);

const KEYS: Samples<Required<CountApiKeys>> = {
  projectId: { many: PROJECT, none: idOf('prj', 9) },
  name: { many: 'many', none: 'none' },
  customAccountId: { many: 'many', none: 'null' },
  customUserId: { many: 'many', none: 'null' },
  planId: { many: pln(1), none: pln(2) },
  isActive: { many: false, none: true, hasNoIndex: 'both' },
  search: { many: 'man', none: 'none', hasNoIndex: 'both' },
  tag: { many: ['many'], none: ['none'] },
  limited: { many: true, none: false, hasNoIndex: 'both' },
  // More than 10,000 keys are low: then keys are looked at.
  lowCredits: { many: true, none: false, hasNoIndex: 'both' },
  expiresAfter: {
    many: new Date(0).toISOString(),
    none: new Date(0).toISOString(),
    hasNoIndex: 'both',
  },
  expiresBefore: {
    many: new Date(900).toISOString(),
    none: '1969-12-31T00:00:00Z',
    hasNoIndex: 'many',
  },
};

const CUSTOMERS: Samples<Required<Omit<ListCustomers, keyof typeof PageQuery>>> = {
  projectId: { many: PROJECT, none: idOf('prj', 9) },
  search: { many: 'customer', none: 'none', hasNoIndex: 'both' },
  tag: { many: ['many'], none: ['none'] },
  planId: { many: pln(1), none: pln(2) },
};

/** An index of all keys or customers of an account is no index for a filter. */
const OF_ALL =
  /^SEARCH i USING (?:COVERING )?INDEX \w+_by_account_id_id \(account_id=\?( AND id[<>]=?\?)?\)$/;

async function checkFilter(
  kind: 'many' | 'none',
  { hasNoIndex }: { hasNoIndex?: 'many' | 'both' },
  work: () => Promise<unknown>,
): Promise<void> {
  const mayLook = hasNoIndex === 'both' || hasNoIndex === kind;
  const queries = await check(work, mayLook ? LOOKED_AT_ROWS_MAX : ROWS_MAX);
  if (mayLook || storage.engine === 'postgres') return;
  for (const query of queries)
    for (const search of await sqliteSearches(storage, query)) expect(search).not.toMatch(OF_ALL);
}

const keys = (query: ListApiKeys) => () =>
  listKeys(storage, tenant, {
    filter: filterOf(query, NOW),
    order: orderOf(query),
    range: RANGE,
  });

const { sort, order } = ListApiKeys.properties;
const valuesOf = <T>(schema: object) => (schema as { enum: T[] }).enum;
const sorts = valuesOf<NonNullable<ListApiKeys['sort']>>(sort).flatMap((each) =>
  valuesOf<NonNullable<ListApiKeys['order']>>(order).map((direction) => [each, direction] as const),
);
const filters = Object.keys(CountApiKeys.properties) as (keyof CountApiKeys)[];
const customerFilters = Object.keys(ListCustomers.properties).filter(
  (name): name is keyof typeof CUSTOMERS => !(name in PageQuery),
);

describe('the list of keys', () => {
  it.each(sorts)('sorted by %s, %s, for an account and for a project', async (by, direction) => {
    await check(keys({ sort: by, order: direction }));
    await check(keys({ sort: by, order: direction, projectId: PROJECT }));
  });

  it.each(filters)('filtered by %s', async (name) => {
    for (const kind of ['many', 'none'] as const)
      await checkFilter(kind, KEYS[name], keys({ [name]: KEYS[name][kind] }));
  });
});

describe('the list of customers', () => {
  it.each(customerFilters)('filtered by %s', async (name) => {
    for (const kind of ['many', 'none'] as const) {
      const filter = { [name]: CUSTOMERS[name][kind] };
      const page = () => listCustomerRows(storage, tenant, filter, RANGE);
      await checkFilter(kind, CUSTOMERS[name], page);
    }
  });
});

const ALL: CountsFilter = {
  accountId: tenant.accountId,
  projectId: null,
  keySeq: null,
  customAccountId: undefined,
  customUserId: undefined,
  planId: undefined,
};
const SUBJECTS: Record<keyof Omit<CountsFilter, 'accountId'>, string | number> = {
  projectId: PROJECT,
  keySeq: 7,
  customAccountId: 'none',
  customUserId: 'none',
  planId: pln(2),
};
const context = { retention: DEFAULT_RETENTION, now: NOW };
/** The counts of up to 100,000 keys may be read. */
const COUNTED = 10 * 20_000;

const series = (source: SeriesSource, range: ReturnType<typeof totalsRange>) => async () => {
  const { slices } = await listSeries(storage.read, source, {
    range,
    bucketAt: range.bucketAt,
    fill: null,
    hasUnits: await usesUnits(storage.read, ALL),
    rowsPerSeries: 1,
    limit: SIZE,
    offset: 0,
    cursor: undefined,
  });
  await slices[Symbol.asyncIterator]().next();
};

describe('the counts', () => {
  it.each(['newest', ...SORTS] as const)('of keys, sorted by %s', async (by) => {
    const range = totalsRange({}, 'all', context);
    for (const projectId of [null, PROJECT]) {
      const source = keySource(storage.read, { ...ALL, projectId }, range, by, SIZE);
      await check(series(source, range), COUNTED);
    }
  });

  const usage = (
    groupBy: (typeof GROUPINGS)[number],
    filter: CountsFilter,
    resource: string | undefined = undefined,
  ) => {
    const all = usageRange({}, INTERVALS[2], 'UTC', context);
    const isByResource = resource !== undefined || groupBy === 'resource';
    const range = { ...all, ...(isByResource && { resource: resource ?? null }) };
    const query = { filter, range, outcome: null, sort: 'newest' as const, pageSize: SIZE };
    return check(series(groupSource(storage.read, groupBy, query), range), COUNTED);
  };

  it.each(GROUPINGS)('by %s, for an account and for a project', async (groupBy) => {
    await usage(groupBy, ALL);
    await usage(groupBy, { ...ALL, projectId: PROJECT });
  });

  it.each(Object.entries(SUBJECTS))('of the keys with %s', async (name, value) => {
    for (const groupBy of ['key', 'customAccountId', 'plan', 'outcome', 'resource'] as const)
      for (const resource of groupBy === 'key' ? [undefined, 'many', 'none'] : [undefined])
        await usage(groupBy, { ...ALL, [name]: value }, resource);
  });

  it('of too many keys are refused', async () => {
    const of = (filter: Partial<CountsFilter>) =>
      requireFewKeys(storage.read, ALL.accountId, keyConditions({ ...ALL, ...filter }), 19_999);
    await expect(of({})).rejects.toMatchObject({ code: 'query_too_large' });
    await expect(of({ projectId: PROJECT })).rejects.toMatchObject({ code: 'query_too_large' });
    await expect(of({ planId: pln(2) })).rejects.toMatchObject({ code: 'query_too_large' });
    await expect(of({ customAccountId: 'none' })).resolves.toHaveLength(1);
  });
});
