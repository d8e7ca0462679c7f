import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** The counts that a query may read: those of the caller's tenant, narrowed by its filters. */
export interface CountsFilter {
  readonly accountId: string;
  /** null: every project of the account. */
  readonly projectId: string | null;
  /** A single key, already checked to belong to the caller. */
  readonly keySeq: number | null;
  /** null: only keys without one; undefined: all keys. */
  readonly customAccountId: string | null | undefined;
  readonly customUserId: string | null | undefined;
  readonly planId: string | null | undefined;
}

export const all = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;

/** The plan of `api_keys as m` today; null: none. */
export const EFFECTIVE_PLAN = sql<string | null>`coalesce(m.plan_id,
  (select plan_id from customers
    where project_id = m.project_id and custom_account_id = m.custom_account_id),
  (select default_plan_id from projects where id = m.project_id))`;

/** Conditions on `api_keys as m`. */
export function keysIn(filter: CountsFilter): RawBuilder<SqlBool>[] {
  const conditions = [sql<SqlBool>`m.account_id = ${filter.accountId}`];
  if (filter.projectId !== null) conditions.push(sql`m.project_id = ${filter.projectId}`);
  if (filter.keySeq !== null) conditions.push(sql`m.seq = ${filter.keySeq}`);
  conditions.push(...isEqual(sql.ref('m.custom_account_id'), filter.customAccountId));
  conditions.push(...isEqual(sql.ref('m.custom_user_id'), filter.customUserId));
  conditions.push(...isEqual(EFFECTIVE_PLAN, filter.planId));
  return conditions;
}

function isEqual(
  actual: RawBuilder<unknown>,
  value: string | null | undefined,
): RawBuilder<SqlBool>[] {
  if (value === undefined) return [];
  return value === null ? [sql`${actual} is null`] : [sql`${actual} = ${value}`];
}

/** Whether the filter selects single keys instead of whole projects. */
export const picksKeys = (filter: CountsFilter): boolean =>
  filter.keySeq !== null ||
  filter.customAccountId !== undefined ||
  filter.customUserId !== undefined ||
  filter.planId !== undefined;
