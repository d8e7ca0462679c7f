import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../storage/index.ts';
import type { Members } from './counts-reader.ts';
import { all } from './scope.ts';
import { KEYS, type Subject } from './subjects.ts';

/** Looking up each of so many in every quarter-hour costs less than reading all there is. */
const FEW = 1_000;

/** Exactly these, each a group of its own. */
export const bySeq = (subject: Subject, seqs: readonly number[]): Members => ({
  subject,
  where: sql<SqlBool>`m.seq in (${sql.join(seqs)})`,
  group: sql.ref('m.seq'),
  areFew: true,
});

/** Keys that fulfil all conditions, put together by one of their columns or all as one. */
export const keyMembers = (
  db: Kysely<Database>,
  conditions: readonly RawBuilder<SqlBool>[],
  group: RawBuilder<unknown>,
): Promise<Members> => membersOf(db, KEYS, conditions, group);

export async function membersOf(
  db: Kysely<Database>,
  subject: Subject,
  conditions: readonly RawBuilder<SqlBool>[],
  group: RawBuilder<unknown>,
): Promise<Members> {
  const where = all(conditions);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from
      (select 1 from ${sql.table(subject.owner)} as m where ${where} limit ${FEW + 1}) as few
  `.execute(db);
  return { subject, where, group, areFew: Number(rows[0]!.count) <= FEW };
}
