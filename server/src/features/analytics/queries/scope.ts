import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** The counts that a query may read: those of the caller's tenant, narrowed by its filters. */
export interface Scope {
  readonly accountId: string;
  /** null: every project of the account. */
  readonly projectId: string | null;
  /** A single key, already checked to belong to the caller. */
  readonly keySeq: number | null;
  /** The text `null` means unset, as in the list of keys. */
  readonly customAccountId: string | undefined;
  readonly customUserId: string | undefined;
}

export const all = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;

/** Conditions on `api_keys as m`. */
export function keysIn(scope: Scope): RawBuilder<SqlBool>[] {
  const conditions = [sql<SqlBool>`m.account_id = ${scope.accountId}`];
  if (scope.projectId !== null) conditions.push(sql`m.project_id = ${scope.projectId}`);
  if (scope.keySeq !== null) conditions.push(sql`m.seq = ${scope.keySeq}`);
  conditions.push(...textIs('m.custom_account_id', scope.customAccountId));
  conditions.push(...textIs('m.custom_user_id', scope.customUserId));
  return conditions;
}

function textIs(column: string, value: string | undefined): RawBuilder<SqlBool>[] {
  if (value === undefined) return [];
  return value === 'null'
    ? [sql`${sql.ref(column)} is null`]
    : [sql`${sql.ref(column)} = ${value}`];
}

/** Whether the scope selects single keys instead of whole projects. */
export const picksKeys = (scope: Scope): boolean =>
  scope.keySeq !== null || scope.customAccountId !== undefined || scope.customUserId !== undefined;
