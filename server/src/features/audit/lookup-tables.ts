import { type CompiledQuery, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../storage/index.ts';

/** Tables that index the audit log on SQLite, with their columns. */
export const LOOKUPS = {
  audit_by_account: ['account_id', 'created_at', 'id', 'action', 'project_id'],
  audit_by_target: ['target_id', 'created_at', 'id'],
  audit_by_actor: ['actor_id', 'created_at', 'id'],
} as const;
export type Lookup = keyof typeof LOOKUPS;

export const ALL_LOOKUPS = { audit_by_id: ['id'], ...LOOKUPS } as const;

/**
 * Adds the rows of a range of seq to the lookup tables, in the script that seals them: a row is in the
 * lookup tables if and only if it is sealed. Unsealed rows are at the end of the log.
 *
 * `or ignore`, because a row that Keyward did not write may be invalid and must not stop the sealer.
 */
export const lookupInserts = (db: Kysely<Database>, after: number, upTo: number): CompiledQuery[] =>
  Object.entries(ALL_LOOKUPS).map(([table, indexed]) => {
    const columns = sql.join(['seq', ...indexed].map((column) => sql.ref(column)));
    return sql`insert or ignore into ${sql.table(table)} (${columns}) select ${columns}
      from audit_log where seq > ${after} and seq <= ${upTo} order by seq`.compile(db);
  });

/** The seq of the last row in the lookup tables. */
export const lastIndexedSeq = sql<number>`(select coalesce(max(audit_seq), 0) from audit_seals)`;

/** Whether a lookup entry equals its row. An entry that differs was not written by Keyward and is ignored. */
export const matchesItsRow = (lookup: keyof typeof ALL_LOOKUPS): RawBuilder<SqlBool> => {
  const same = ['seq', ...ALL_LOOKUPS[lookup]].map(
    (column) => sql`${sql.ref(`${lookup}.${column}`)} is ${sql.ref(`audit_log.${column}`)}`,
  );
  return sql.join(same, sql` and `);
};
