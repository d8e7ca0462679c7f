import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { KEY_USAGE, PROJECT_USAGE } from '../usage-kinds.ts';
import { costOf, totalFields, totalOf } from './count-fields.ts';
import { type CountRange, readCounts } from './counts-reader.ts';
import { selectBySeq, selectKeys, selectOwners } from './selections.ts';

/** Keys or customers whose counts are read together. */
const PAGE = 500;

/** The usage of a project in one period, to be read page by page. */
export interface Period {
  readonly accountId: string;
  readonly projectId: string;
  readonly groupBy: 'key' | 'customer';
  readonly from: number;
  readonly until: number;
}

export interface PeriodRow {
  readonly keyId: string | null;
  readonly customAccountId: string | null;
  readonly total: number;
  readonly valid: number;
  readonly rateLimited: number;
  readonly denied: number;
  readonly cost: number;
}

export interface PeriodPage {
  readonly rows: readonly PeriodRow[];
  /** Where the next page begins; null: there is none. */
  readonly after: string | null;
}

/**
 * At most `size` rows; rows without usage are left out. The first page (`after` is '') begins with the usage
 * that belongs to no key or customer, so that the rows of all pages add up to the usage of the project.
 */
export async function readPeriod(
  db: Kysely<Database>,
  period: Period,
  after: string,
  size: number,
): Promise<PeriodPage> {
  const rows = after === '' ? await unassigned(db, period) : [];
  const pageOf = period.groupBy === 'key' ? keyPage : customerPage;
  for (let position = after; ; ) {
    const page = await pageOf(db, period, position, Math.min(PAGE, size - rows.length));
    rows.push(...page.rows);
    if (page.after === null || rows.length >= size) return { rows, after: page.after };
    position = page.after;
  }
}

const rangeOf = ({ from, until }: Period): CountRange => ({
  from,
  until,
  grain: 'days',
  asOne: true,
});

const rowOf = (
  keyId: string | null,
  customAccountId: string | null,
  counts: readonly number[],
): PeriodRow => ({ keyId, customAccountId, ...totalFields(counts), cost: costOf(counts) });

/** Adds up the counts of all segments of the range, by group. */
function byGroup(
  counted: Awaited<ReturnType<typeof readCounts>>,
): Map<string | number | null, number[]> {
  const sums = new Map<string | number | null, number[]>();
  for (const { group, counts } of counted)
    sums.set(group, added(sums.get(group) ?? counts.map(() => 0), counts, 1));
  return sums;
}

const added = (a: readonly number[], b: readonly number[], sign: 1 | -1): number[] =>
  a.map((count, n) => count + sign * (b[n] ?? 0));

const isOfProject = ({ accountId, projectId }: Period): RawBuilder<SqlBool>[] => [
  sql`m.account_id = ${accountId}`,
  sql`m.project_id = ${projectId}`,
];

/** The usage of erased keys and, if grouped by customer, of keys without a customer. */
async function unassigned(db: Kysely<Database>, period: Period): Promise<PeriodRow[]> {
  const one = sql`1`;
  const project = await selectOwners(
    db,
    PROJECT_USAGE,
    [sql`m.project_id = ${period.projectId}`],
    one,
  );
  const assigned = [...isOfProject(period)];
  if (period.groupBy === 'customer') assigned.push(sql`m.custom_account_id is not null`);
  const keys = await selectKeys(db, assigned, one);
  const none = KEY_USAGE.columns.map(() => 0);
  const all = byGroup(await readCounts(db, project, rangeOf(period))).get(1) ?? none;
  const known = byGroup(await readCounts(db, keys, rangeOf(period))).get(1) ?? none;
  const rest = added(all, known, -1);
  return totalOf(rest) > 0 ? [rowOf(null, null, rest)] : [];
}

async function keyPage(
  db: Kysely<Database>,
  period: Period,
  after: string,
  size: number,
): Promise<PeriodPage> {
  const keys = await db
    .selectFrom('api_keys')
    .select(['seq', 'id', 'custom_account_id'])
    .where('account_id', '=', period.accountId)
    .where('project_id', '=', period.projectId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(size)
    .execute();
  if (keys.length === 0) return { rows: [], after: null };
  const selection = selectBySeq(
    KEY_USAGE,
    keys.map(({ seq }) => seq),
  );
  const counts = byGroup(await readCounts(db, selection, rangeOf(period)));
  const rows = keys.flatMap(({ seq, id, custom_account_id }) => {
    const found = counts.get(seq);
    return found && totalOf(found) > 0 ? [rowOf(id, custom_account_id, found)] : [];
  });
  return { rows, after: keys.length < size ? null : keys.at(-1)!.id };
}

async function customerPage(
  db: Kysely<Database>,
  period: Period,
  after: string,
  size: number,
): Promise<PeriodPage> {
  const found = await db
    .selectFrom('api_keys')
    .select('custom_account_id')
    .distinct()
    .where('account_id', '=', period.accountId)
    .where('project_id', '=', period.projectId)
    .where('custom_account_id', '>', after)
    .orderBy('custom_account_id')
    .limit(size)
    .execute();
  const ids = found.map((row) => row.custom_account_id!);
  if (ids.length === 0) return { rows: [], after: null };
  const column = sql.ref('m.custom_account_id');
  const ofThese = [...isOfProject(period), sql<SqlBool>`${column} in (${sql.join(ids)})`];
  const selection = await selectKeys(db, ofThese, column);
  const counts = byGroup(await readCounts(db, selection, rangeOf(period)));
  const rows = ids.flatMap((id) => {
    const sums = counts.get(id);
    return sums && totalOf(sums) > 0 ? [rowOf(null, id, sums)] : [];
  });
  return { rows, after: ids.length < size ? null : ids.at(-1)! };
}
