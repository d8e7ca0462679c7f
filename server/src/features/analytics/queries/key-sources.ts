import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { KeywardError } from '../../../kernel/errors.ts';
import { type Database, isFew, type Source } from '../../../storage/index.ts';
import type { Condition } from '../../api-keys/index.ts';
import { KEY_USAGE } from '../usage-kinds.ts';
import { all, type CountsFilter, EFFECTIVE_PLAN } from './counts-filter.ts';
import { type CountSelection, selectOwners } from './selections.ts';

/**
 * The counts of at most this many keys are added up or sorted in one query. 100,000 keys take about 0.3 s of
 * CPU; two million took 7 s, and would delay everybody else's lists.
 */
const COUNTED_KEYS_MAX = 100_000;

type Sql = RawBuilder<SqlBool>;

/** A condition on `api_keys as m`. Its source is an index that begins with the account. */
export type KeyCondition = Condition;

/** Keys of an account for which a condition on `i` has an index. */
const indexed = (accountId: string, ...where: Sql[]): Source => ({
  from: sql`api_keys as i`,
  where: [sql`i.account_id = ${accountId}`, ...where],
  id: sql.ref('i.id'),
});

export const keyCondition = (
  accountId: string,
  where: (table: 'm' | 'i') => Sql,
): KeyCondition => ({
  where: where('m'),
  source: indexed(accountId, where('i')),
  isInOrder: true,
});

type Value = string | number | null | undefined;

/** The most selective first. A source restricts the keys to the account; conditions without a source do not. */
export function keyConditions(filter: CountsFilter): KeyCondition[] {
  const { accountId, projectId, keySeq, customAccountId, customUserId, planId } = filter;
  const equal = (column: string, value: Value): KeyCondition[] =>
    value === undefined
      ? []
      : [keyCondition(accountId, (table) => isEqual(sql.ref(`${table}.${column}`), value))];
  return [
    ...equal('seq', keySeq ?? undefined),
    ...equal('custom_user_id', customUserId),
    ...equal('custom_account_id', customAccountId),
    // Plans of customers and projects apply to their keys, so no index finds the keys of a plan.
    ...(planId === undefined ? [] : [{ where: isEqual(EFFECTIVE_PLAN, planId) }]),
    ...equal('project_id', projectId ?? undefined),
  ];
}

const isEqual = (actual: RawBuilder<unknown>, value: Exclude<Value, undefined>): Sql =>
  value === null ? sql`${actual} is null` : sql`${actual} = ${value}`;

const otherConditions = (conditions: readonly KeyCondition[], fulfilled: Source): Sql[] =>
  conditions
    .filter(({ source }) => source === undefined || source !== fulfilled)
    .map(({ where }) => where);

/** A source of so few keys that all can be read; null: there is none. */
async function fewKeys(
  db: Kysely<Database>,
  accountId: string,
  conditions: readonly KeyCondition[],
  most: number,
): Promise<Source | null> {
  const sources = conditions.flatMap(({ source }) => source ?? []);
  // All keys of the account are tried only if there is no other source: every other one has at most as many keys.
  if (sources.length === 0) sources.push(indexed(accountId));
  for (const source of sources) if (await isFew(db, source, most)) return source;
  return null;
}

/**
 * Conditions on `api_keys as m` that let the database read the keys of one source only. They do not name the
 * account, which the source does: otherwise SQLite may read all keys of the account. Throws if the keys are too
 * many.
 */
export async function requireFewKeys(
  db: Kysely<Database>,
  accountId: string,
  conditions: readonly KeyCondition[],
  most = COUNTED_KEYS_MAX,
): Promise<Sql[]> {
  const source = await fewKeys(db, accountId, conditions, most);
  if (source === null) throw new KeywardError('query_too_large', TOO_MANY_KEYS);
  const { from, where } = source;
  const ofSource = sql<SqlBool>`m.seq in (select i.seq from ${from} where ${all(where)})`;
  return [ofSource, ...otherConditions(conditions, source)];
}

const TOO_MANY_KEYS = `This query reads the counts of more than ${COUNTED_KEYS_MAX.toLocaleString('en')} keys. Add a filter: key, customAccountId or customUserId; or a projectId with fewer keys. Without sort, the lists of keys, customers and users are read page by page; groupBy=outcome has the totals of a project.`;

/** The counts of the keys that meet all conditions, grouped by a column of `m` or a constant. */
export async function selectKeyCounts(
  db: Kysely<Database>,
  accountId: string,
  conditions: readonly KeyCondition[],
  group: RawBuilder<unknown>,
): Promise<CountSelection> {
  return selectOwners(db, KEY_USAGE, await requireFewKeys(db, accountId, conditions), group);
}
