import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import { isIdOf } from '../../kernel/ids.ts';
import type { RowRange } from '../../kernel/paging.ts';
import { readQueryTime } from '../../kernel/time/read-time.ts';
import { beginningWith, containing, hasElement, type Storage } from '../../storage/index.ts';
import { creditsBalance, LOW_SHARE } from '../credits/index.ts';
import { type KeyPosition, type ListOrder, unsetTime } from './list-order.ts';
import type { CountApiKeys } from './schema.ts';
import { type KeyRow, type KeyWithLevels, keyRows, keyRowsWithLevels } from './store.ts';

/** A filter with parsed times. */
export interface KeyFilter extends Omit<CountApiKeys, 'expiresAfter' | 'expiresBefore'> {
  readonly now: number;
  readonly expiresAfter: number | null;
  readonly expiresBefore: number | null;
}

export const filterOf = (
  { expiresAfter, expiresBefore, ...filter }: CountApiKeys,
  now: number,
): KeyFilter => ({
  ...filter,
  now,
  expiresAfter: readQueryTime('expiresAfter', expiresAfter),
  expiresBefore: readQueryTime('expiresBefore', expiresBefore),
});

/** The part of a list to read. */
interface Selection {
  readonly filter: KeyFilter;
  readonly order: ListOrder;
  readonly range: RowRange<KeyPosition>;
}

export const listKeys = (
  storage: Storage,
  tenant: Tenant,
  selection: Selection,
): Promise<KeyRow[]> => selected(keyRows(storage.read, tenant), selection).execute();

export const listKeysWithLevels = (
  storage: Storage,
  tenant: Tenant,
  selection: Selection,
): Promise<KeyWithLevels[]> =>
  selected(keyRowsWithLevels(storage.read, tenant), selection).execute();

function selected<DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<DB, TB, O>,
  { filter, order, range: { after, offset, size } }: Selection,
): SelectQueryBuilder<DB, TB, O> {
  let query = rows;
  for (const condition of conditions(filter)) query = query.where(condition);
  const direction = order.ascending ? 'asc' : 'desc';
  const value = sortValue(order);
  if (after !== null) query = query.where(beyond(value, order, after));
  if (value !== null) query = query.orderBy(value, direction);
  return query.orderBy(sql`api_keys.id`, direction).limit(size).offset(offset);
}

/** How many keys match, up to `most`. */
export async function countKeys(
  storage: Storage,
  { accountId, projectIds, customAccountId }: Tenant,
  filter: KeyFilter,
  most: number,
): Promise<number> {
  let query = storage.read
    .selectFrom('api_keys')
    .select('api_keys.id')
    .where('api_keys.account_id', '=', accountId);
  if (projectIds !== null) query = query.where('api_keys.project_id', 'in', projectIds);
  if (customAccountId !== undefined)
    query = query.where('api_keys.custom_account_id', '=', customAccountId);
  for (const condition of conditions(filter)) query = query.where(condition);
  const { count } = await storage.read
    .selectFrom(query.limit(most).as('found'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function* conditions(filter: KeyFilter): Generator<RawBuilder<SqlBool>> {
  const { projectId, name, search, isActive, limited, expiresAfter, expiresBefore } = filter;
  const { tag: tags = [], planId, lowCredits } = filter;
  if (projectId !== undefined) yield sql`api_keys.project_id = ${projectId}`;
  if (planId !== undefined) yield sql`api_keys.plan_id = ${planId}`;
  if (name !== undefined) yield sql`api_keys.name = ${name}`;
  if (isActive !== undefined) yield sql`api_keys.is_active = ${isActive ? 1 : 0}`;
  yield* sameText('custom_account_id', filter.customAccountId);
  yield* sameText('custom_user_id', filter.customUserId);
  if (limited !== undefined) yield sql`${limited ? sql`` : sql`not`} ${HAS_LIMIT}`;
  if (lowCredits !== undefined)
    yield sql`${lowCredits ? sql`` : sql`not`} exists (${lowPool(filter.now)})`;
  if (expiresAfter !== null)
    yield sql`(api_keys.expires_at is null or api_keys.expires_at > ${expiresAfter})`;
  if (expiresBefore !== null) yield sql`api_keys.expires_at <= ${expiresBefore}`;
  for (const tag of tags) yield hasElement('api_keys.tags', tag);
  if (search !== undefined) yield found(search);
}

const HAS_LIMIT = sql`(api_keys.rate_limit is not null or coalesce(api_keys.limits, '[]') <> '[]')`;

/** A pool whose refill is due is not low, although the refill is stored only with the next use. */
const lowPool = (now: number) => sql`select 1 from credit_pools own_pool
  where own_pool.project_id = api_keys.project_id
    and own_pool.owner_type = 'key'
    and own_pool.owner = api_keys.limit_group
    and (own_pool.next_refill_at is null or own_pool.next_refill_at > ${now})
    and ${creditsBalance(now)} <= coalesce(own_pool.starting_balance, 0) * ${sql.lit(LOW_SHARE)}`;

/** In a query string, the text `null` means "unset". */
function* sameText(
  column: 'custom_account_id' | 'custom_user_id',
  value: string | undefined,
): Generator<RawBuilder<SqlBool>> {
  const ref = sql.ref(`api_keys.${column}`);
  if (value !== undefined) yield value === 'null' ? sql`${ref} is null` : sql`${ref} = ${value}`;
}

const SEARCHED = ['name', 'custom_account_id', 'custom_user_id'] as const;

function found(search: string): RawBuilder<SqlBool> {
  if (isIdOf('key', search)) return sql`api_keys.id = ${search}`;
  const inText = SEARCHED.map((column) => containing(`api_keys.${column}`, search));
  return sql`(${sql.join([...inText, beginningWith('api_keys.mask', search)], sql` or `)})`;
}

/** Null: sorted by id alone. */
function sortValue(order: ListOrder): RawBuilder<unknown> | null {
  switch (order.sort) {
    case 'createdAt':
      return null;
    case 'name':
      return sql`api_keys.name`;
    case 'expiresAt':
      return sql`coalesce(api_keys.expires_at, ${sql.lit(unsetTime(order))})`;
    case 'lastUsedAt':
      return sql`coalesce(key_usage.last_used_at, ${sql.lit(unsetTime(order))})`;
  }
}

function beyond(
  value: RawBuilder<unknown> | null,
  { ascending }: ListOrder,
  after: KeyPosition,
): RawBuilder<SqlBool> {
  const than = ascending ? sql`>` : sql`<`;
  return value === null
    ? sql`api_keys.id ${than} ${after.id}`
    : sql`(${value}, api_keys.id) ${than} (${after.value}, ${after.id})`;
}
