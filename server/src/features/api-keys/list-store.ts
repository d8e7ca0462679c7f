import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import type { RowRange } from '../../kernel/paging.ts';
import {
  countIn,
  type Database,
  type Found,
  isFew,
  type Listed,
  LOOKED_AT_MAX,
  type PageRequest,
  type Source,
  type Storage,
  sortedPage,
  type Walk,
  walkedPage,
} from '../../storage/index.ts';
import { type Condition, conditionsOf, type KeyFilter, keysOf } from './list-filters.ts';
import { type KeyPosition, type ListOrder, unsetTime } from './list-order.ts';
import { type KeyRow, type KeyWithLevels, keyRows, keyRowsWithLevels } from './store.ts';

/** The part of a list to read. */
interface Selection {
  readonly filter: KeyFilter;
  readonly order: ListOrder;
  readonly range: RowRange<KeyPosition>;
}

type FoundKeys<Row> = Promise<Found<Row>>;

export const listKeys = (storage: Storage, tenant: Tenant, of: Selection): FoundKeys<KeyRow> =>
  pageOf(storage, tenant, of, (page) =>
    keyRows(storage.read, tenant, page.rows).orderBy(page.order).execute(),
  );

export const listKeysWithLevels = (
  storage: Storage,
  tenant: Tenant,
  of: Selection,
): FoundKeys<KeyWithLevels> =>
  pageOf(storage, tenant, of, (page) =>
    keyRowsWithLevels(storage.read, tenant, page.rows).orderBy(page.order).execute(),
  );

interface KeyPage {
  /** `(value, id)` */
  readonly rows: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
}

const KEYS: Listed = { from: sql`api_keys`, alias: 'api_keys' };

const pageOf = <Row>(
  storage: Storage,
  tenant: Tenant,
  { filter, order, range }: Selection,
  read: (page: KeyPage) => Promise<readonly Row[]>,
): FoundKeys<Row> => {
  const direction = order.ascending ? sql`asc` : sql`desc`;
  return keyPage(order, conditionsOf(tenant, filter), {
    db: storage.read,
    accountId: tenant.accountId,
    listed: KEYS,
    ...range,
    read: (rows) => read({ rows, order: sql`page.value ${direction}, page.id ${direction}` }),
  });
};

type KeyPageRequest<Row> = Omit<PageRequest<Row>, 'where'> & { readonly accountId: string };

/**
 * If one condition selects few keys, these are sorted, unless its index has the order of the list. Otherwise keys
 * are looked at in the order of the list, or of a condition that has an index in this order.
 */
export async function keyPage<Row>(
  order: ListOrder,
  conditions: readonly Condition[],
  request: KeyPageRequest<Row>,
): FoundKeys<Row> {
  const { db, accountId, listed, after } = request;
  const few = await fewest(db, accountId, conditions, order);
  const ordered =
    order.sort === 'createdAt'
      ? conditions.find(({ isInOrder, source }) => isInOrder && (few === null || source === few))
      : undefined;
  if (few !== null && ordered === undefined) {
    const where = others(conditions, few);
    return sortedPage({ ...request, where }, few, exactOrder(order, listed));
  }
  const isAfterSet = order.sort !== 'createdAt' && after?.value === unsetTime(order);
  const found = await walkedPage(
    {
      ...request,
      where: others(conditions, ordered?.source),
      after: isAfterSet ? { value: null, id: after.id } : inWalk(order, after),
    },
    walksOf(accountId, order, listed, ordered?.source),
    isAfterSet ? 1 : 0,
  );
  const { upTo } = found;
  return { ...found, upTo: upTo && { value: storedValue(order, upTo), id: upTo.id } };
}

const others = (conditions: readonly Condition[], fulfilled: Source | undefined) =>
  conditions
    .filter(({ source, isWider }) => isWider || source === undefined || source !== fulfilled)
    .map(({ where }) => where);

/** A filter that leaves so few keys that they can be sorted; null if there is none, or if an index has the order. */
async function fewest(
  db: Kysely<Database>,
  accountId: string,
  conditions: readonly Condition[],
  { sort }: ListOrder,
): Promise<Source | null> {
  const [only] = conditions;
  const isSorted = only?.source === undefined || only.isInOrder === true;
  if (sort === 'createdAt' && conditions.length < 2 && isSorted) return null;
  const sources = conditions.flatMap(({ source }) => source ?? []);
  // The exact time of the last use has no index.
  if (sort === 'lastUsedAt') sources.push(keysOf(accountId));
  for (const source of sources) if (await isFew(db, source)) return source;
  return null;
}

function exactOrder({ sort, ascending }: ListOrder, { alias }: Listed) {
  const unset = sql.lit(unsetTime({ sort, ascending }));
  switch (sort) {
    case 'createdAt':
      return { value: null, ascending };
    case 'name':
      return { value: sql.ref(`${alias}.name`), ascending };
    case 'expiresAt':
      return { value: sql`coalesce(${sql.ref(`${alias}.expires_at`)}, ${unset})`, ascending };
    case 'lastUsedAt':
      return {
        value: sql`coalesce(key_usage.last_used_at, ${unset})`,
        join: sql`left join key_usage on key_usage.key_seq = ${sql.ref(`${alias}.seq`)}`,
        ascending,
      };
  }
}

const HOUR_MS = 3_600_000;

/** The order of a long list: by the hour of the last use, since its time changes too often for an index. */
function walksOf(
  accountId: string,
  { sort, ascending }: ListOrder,
  { alias }: Listed,
  source?: Source,
): Walk[] {
  const byId: Walk = { ...(source ?? keysOf(accountId)), value: null, ascending };
  const isSet = sql<SqlBool>`i.expires_at is not null`;
  const isUnset = sql<SqlBool>`${sql.ref(`${alias}.expires_at`)} is null`;
  const isUnused = sql<SqlBool>`not exists
    (select 1 from key_usage where key_usage.key_seq = ${sql.ref(`${alias}.seq`)})`;
  const hours = {
    from: sql`last_use_hours as i`,
    value: sql.ref('i.hour'),
    id: sql.ref('i.key_id'),
  };
  switch (sort) {
    case 'createdAt':
      return [byId];
    case 'name':
      return [{ ...byId, value: sql.ref('i.name') }];
    case 'expiresAt':
      return [
        { ...byId, where: [...byId.where, isSet], value: sql.ref('i.expires_at') },
        { ...byId, also: [isUnset] },
      ];
    case 'lastUsedAt':
      return [
        { ...byId, ...hours },
        { ...byId, also: [isUnused] },
      ];
  }
}

const inWalk = ({ sort }: ListOrder, after: KeyPosition | null): KeyPosition | null =>
  after !== null && sort === 'lastUsedAt'
    ? { value: Number(after.value) - (Number(after.value) % HOUR_MS), id: after.id }
    : after;

const storedValue = (order: ListOrder, { value }: KeyPosition): KeyPosition['value'] =>
  order.sort === 'createdAt' || value !== null ? value : unsetTime(order);

/** How many keys match, up to `most`. Fewer are looked at if not all conditions have an index. */
export async function countKeys(
  storage: Storage,
  tenant: Tenant,
  filter: KeyFilter,
  most: number,
): Promise<{ count: number; isExact: boolean }> {
  const conditions = conditionsOf(tenant, filter);
  const sources = conditions.flatMap(({ source }) => source ?? []);
  let best = sources[0] ?? keysOf(tenant.accountId);
  if (conditions.length > 1)
    for (const source of sources)
      if (await isFew(storage.read, source)) {
        best = source;
        break;
      }
  const rest = others(conditions, best);
  return countIn(
    storage.read,
    KEYS,
    best,
    rest,
    rest.length === 0 ? most : Math.min(most, LOOKED_AT_MAX),
  );
}
