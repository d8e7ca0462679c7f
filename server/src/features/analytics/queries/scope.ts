import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Whose counts may be seen, and which of them are asked for. Every query starts from here. */
export interface Scope {
  readonly accountId: string;
  /** null: every project of the account. */
  readonly projectId: string | null;
  /** One key, found and seen to be the caller's. */
  readonly keySeq: number | null;
  /** The text `null` means unset, as in the list of keys. */
  readonly customAccountId: string | undefined;
  readonly customUserId: string | undefined;
}

export const all = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;

/** On api_keys, as `m`. */
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

/** Whether only some of the keys are meant. */
export const picksKeys = (scope: Scope): boolean =>
  scope.keySeq !== null || scope.customAccountId !== undefined || scope.customUserId !== undefined;
