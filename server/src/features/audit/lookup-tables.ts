import { type CompiledQuery, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../storage/index.ts';

/** By what rows of the audit log are found on SQLite, and what is told there of each. */
export const LOOKUPS = {
  audit_by_account: ['account_id', 'created_at', 'id', 'action', 'project_id'],
  audit_by_target: ['target_id', 'created_at', 'id'],
  audit_by_actor: ['actor_id', 'created_at', 'id'],
} as const;
export type Lookup = keyof typeof LOOKUPS;

export const EVERY_LOOKUP = { audit_by_id: ['id'], ...LOOKUPS } as const;

/**
 * Enters the rows behind one number, up to another, in the script that seals them: so a row is entered
 * if and only if it has a seal. What is not is at the end of the log.
 *
 * `or ignore`: what somebody put in by hand may be no row of ours, and must not end all sealing.
 */
export const entering = (db: Kysely<Database>, after: number, upTo: number): CompiledQuery[] =>
  Object.entries(EVERY_LOOKUP).map(([table, told]) => {
    const columns = sql.join(['seq', ...told].map((column) => sql.ref(column)));
    return sql`insert or ignore into ${sql.table(table)} (${columns}) select ${columns}
      from audit_log where seq > ${after} and seq <= ${upTo} order by seq`.compile(db);
  });

/** The number of the last row that is entered. */
export const lastEntered = sql<number>`(select coalesce(max(audit_seq), 0) from audit_seals)`;

/** Whether an entry says what its row says: one that does not was made by hand, and tells nothing. */
export const tellsOfItsRow = (lookup: keyof typeof EVERY_LOOKUP): RawBuilder<SqlBool> => {
  const same = ['seq', ...EVERY_LOOKUP[lookup]].map(
    (column) => sql`${sql.ref(`${lookup}.${column}`)} is ${sql.ref(`audit_log.${column}`)}`,
  );
  return sql.join(same, sql` and `);
};
