import { LOW_SHARE } from '@keyward/rules/credits/pool.ts';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import { isIdOf } from '../../kernel/ids.ts';
import { readQueryTime } from '../../kernel/time/read-time.ts';
import { beginningWith, containing, hasElement, type Source } from '../../storage/index.ts';
import { creditsBalance } from '../credits/index.ts';
import { fieldFilters } from '../fields/index.ts';
import type { CountApiKeys } from './schema.ts';

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

type Sql = RawBuilder<SqlBool>;

export interface Condition {
  /** On `api_keys`. */
  readonly where: Sql;
  /** Finds the same keys by an index. Without it, keys are looked at in the order of the list. */
  readonly source?: Source;
  /** Whether this index is in the order of ids. */
  readonly isInOrder?: boolean;
  /** Whether the source also has keys that do not meet the condition. */
  readonly isWider?: boolean;
}

/** Keys of an account that an index on `api_keys` finds, in the order of ids. */
const indexed = (accountId: string, where: (table: string) => Sql): Condition => ({
  where: where('api_keys'),
  source: { ...keysOf(accountId), where: [...keysOf(accountId).where, where('i')] },
  isInOrder: true,
});

/** All keys of an account. */
export const keysOf = (accountId: string): Source => ({
  from: sql`api_keys as i`,
  where: [sql`i.account_id = ${accountId}`],
  id: sql.ref('i.id'),
});

type Make<V> = (value: V, accountId: string, filter: KeyFilter) => readonly Condition[];

const { customUserId, tag, planId, ...others } = fieldFilters(API_KEY, { equal, tagged });

/**
 * How each filter is applied, the most selective first. A filter that can match few of many keys needs an index;
 * server/test/model/list-plans.test.ts checks the query plans.
 */
const FILTERS: { readonly [F in keyof CountApiKeys]-?: Make<NonNullable<KeyFilter[F]>> } = {
  search: (text, accountId) =>
    isIdOf('key', text)
      ? [indexed(accountId, (table) => sql`${sql.ref(`${table}.id`)} = ${text}`)]
      : [{ where: containingText(text) }],
  customUserId,
  ...others,
  lowCredits: (isLow, accountId, { now }) => [
    isLow ? lowCredits(accountId, now) : { where: sql`not ${hasLowPool(now)}` },
  ],
  expiresBefore: (time, accountId) => [
    {
      ...indexed(accountId, (table) => sql`${sql.ref(`${table}.expires_at`)} <= ${time}`),
      isInOrder: false,
    },
  ],
  tag,
  planId,
  limited: (isLimited, accountId) =>
    isLimited ? [indexed(accountId, hasLimit)] : [{ where: sql`not ${hasLimit('api_keys')}` }],
  isActive: (isActive, accountId) =>
    isActive
      ? [{ where: sql`api_keys.is_active = 1` }]
      : // A literal, like the condition of the index.
        [indexed(accountId, (table) => sql`${sql.ref(`${table}.is_active`)} = 0`)],
  expiresAfter: (time) => [
    { where: sql`(api_keys.expires_at is null or api_keys.expires_at > ${time})` },
  ],
  projectId: (id, accountId) => [equal(accountId, 'project_id', id)],
};

export function conditionsOf(tenant: Tenant, filter: KeyFilter): Condition[] {
  const { accountId, projectIds, customAccountId } = tenant;
  const conditions: Condition[] = [];
  if (customAccountId !== undefined)
    conditions.push(equal(accountId, 'custom_account_id', customAccountId));
  for (const [name, make] of Object.entries(FILTERS)) {
    const value = filter[name as keyof CountApiKeys];
    if (value !== undefined && value !== null)
      conditions.push(...(make as Make<unknown>)(value, accountId, filter));
  }
  if (projectIds?.length === 1) conditions.push(equal(accountId, 'project_id', projectIds[0]!));
  else if (projectIds !== null)
    conditions.push({ where: sql`api_keys.project_id in (${sql.join(projectIds)})` });
  return conditions;
}

function equal(accountId: string, column: string, value: string | null): Condition {
  return indexed(accountId, (table) => {
    const ref = sql.ref(`${table}.${column}`);
    return value === null ? sql`${ref} is null` : sql`${ref} = ${value}`;
  });
}

const SEARCHED = ['name', 'custom_account_id', 'custom_user_id'] as const;

function containingText(text: string): Sql {
  const inText = SEARCHED.map((column) => containing(`api_keys.${column}`, text));
  return sql`(${sql.join([...inText, beginningWith('api_keys.mask', text)], sql` or `)})`;
}

function tagged(accountId: string, tag: string): Condition {
  return {
    where: hasElement('api_keys.tags', tag),
    source: {
      from: sql`key_tags as i`,
      where: [sql`i.account_id = ${accountId}`, sql`i.tag = ${tag}`],
      id: sql.ref('i.owner_id'),
    },
    isInOrder: true,
  };
}

/** Written like the condition of the index `api_keys_limited`, which is used only then. */
const hasLimit = (table: string): Sql =>
  sql`(${sql.ref(`${table}.rate_limit`)} is not null or coalesce(${sql.ref(`${table}.limits`)}, '[]') <> '[]')`;

/** A pool whose refill is due is not low, although the refill is stored only with the next use. */
const hasLowPool = (now: number): Sql => sql`exists (select 1 from credit_pools own_pool
  where own_pool.project_id = api_keys.project_id
    and own_pool.owner_type = 'key'
    and own_pool.owner = api_keys.limit_group
    and (own_pool.next_refill_at is null or own_pool.next_refill_at > ${now})
    and ${creditsBalance(now)} <= coalesce(own_pool.starting_balance, 0) * ${sql.lit(LOW_SHARE)})`;

/**
 * The index `credit_pools_low` has all pools that may be low: blocks of nodes only add to the balance. A pool
 * belongs to the first key of a chain of rotations.
 */
function lowCredits(accountId: string, now: number): Condition {
  const low = sql`credit_pools as p where p.account_id = ${accountId} and p.owner_type = 'key'
    and (p.remaining - p.owed) * 5 <= coalesce(p.starting_balance, 0)`;
  return {
    where: hasLowPool(now),
    source: {
      from: sql`(select p.owner as id from ${low}
        union all select k.id from (select p.owner from ${low}) as o
          cross join api_keys as k where k.limit_group = o.owner and k.limit_group <> k.id) as i`,
      where: [sql`1 = 1`],
      id: sql.ref('i.id'),
    },
    isWider: true,
  };
}
