import { balanceOf, EMPTY_POOL, type Entry, type EntryKind } from '@keyward/rules/credits/pool.ts';
import { changeOf, SIGN, type Statement, statementOf } from '@keyward/rules/credits/statement.ts';
import { csvLine } from '@keyward/rules/csv.ts';
import Type, { type Static } from 'typebox';
import { KeywardError } from '../../kernel/errors.ts';
import { RawResponse } from '../../kernel/route.ts';
import { nullable, strict } from '../../kernel/schemas.ts';
import type { Storage, Tx } from '../../storage/index.ts';
import { ownerColumns, type PoolOwner } from './pool-owner.ts';
import { poolAt } from './record.ts';
import { readPool } from './store.ts';

const DAY_MS = 86_400_000;
/** A year. */
const DAYS_MAX = 366;
/** A refill each hour of a year, and its expiry, besides the use of each day. */
const ENTRIES_MAX = 20_000;

const Day = (description: string, title?: string) =>
  Type.String({ format: 'date', description, examples: ['2030-01-01'], ...(title && { title }) });

export const StatementQuery = strict({
  from: Type.Optional(Day('First day, in UTC. Default: the first of this month.', 'StatementFrom')),
  to: Type.Optional(Day('Last day, in UTC, which is included. Default: today.', 'StatementTo')),
  format: Type.Optional(
    Type.Unsafe<'json' | 'csv'>({
      ...{ type: 'string', title: 'StatementFormat', enum: ['json', 'csv'], default: 'json' },
      description:
        '`csv` has a line for each entry, after the opening balance and before the closing one.',
    }),
  ),
});
export type StatementQuery = Static<typeof StatementQuery>;

const Credits = (description: string) => Type.Integer({ description });

export const CreditStatement = Type.Object(
  {
    from: Day('First day.'),
    to: Day('Last day.'),
    opening: Credits('Balance at the start of `from`. Negative: overdrawn.'),
    refilled: Credits('Given by refills.'),
    purchased: Credits('Added as purchases.'),
    bonus: Credits('Added as a bonus.'),
    adjusted: Credits('Taken away (negative), or added by setting the balance.'),
    expired: Credits('Expired before they were spent.'),
    consumed: Credits('Spent by validations.'),
    closing: Credits(
      'Balance at the end of `to`: `opening + refilled + purchased + bonus + adjusted − expired − consumed`.',
    ),
    entries: Type.Array(
      Type.Object(
        {
          date: Day('The day, in UTC.'),
          kind: Type.Enum(Object.keys(SIGN) as EntryKind[]),
          amount: Credits('Credits.'),
          grant: nullable(Type.String({ description: 'The grant that was made or has expired.' })),
          note: nullable(Type.String()),
        },
        { title: 'CreditStatementEntry' },
      ),
      { description: 'One for each grant, expiry and adjustment, and for each day of use.' },
    ),
  },
  { title: 'CreditStatement' },
);
export type CreditStatement = Static<typeof CreditStatement>;

/** Days since 1970 of the first and the last day. */
interface Period {
  readonly from: number;
  readonly to: number;
}

function periodOf({ from, to }: StatementQuery, now: number): Period {
  const last = to === undefined ? Math.floor(now / DAY_MS) : dayNumber('to', to);
  const first = from === undefined ? firstOfMonth(last) : dayNumber('from', from);
  if (first > last) throw new KeywardError('invalid_query', 'from must not be after to.');
  if (last - first >= DAYS_MAX)
    throw new KeywardError('invalid_query', `A statement has at most ${DAYS_MAX} days.`);
  return { from: first, to: last };
}

const firstOfMonth = (day: number): number => Date.parse(`${dateOf(day).slice(0, 7)}-01`) / DAY_MS;

function dayNumber(name: string, date: string): number {
  const ms = Date.parse(date);
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(ms))
    throw new KeywardError('invalid_query', `${name} must be a date, such as 2030-01-31.`);
  return ms / DAY_MS;
}

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** The statement of a pool, or of an owner who has had one. */
export async function readStatement(
  storage: Storage,
  owner: PoolOwner,
  query: StatementQuery,
  now: number,
): Promise<CreditStatement | RawResponse> {
  const period = periodOf(query, now);
  const statement = await storage.transaction((tx) => statementIn(tx, owner, period, now));
  const record = statementRecord(statement, period);
  return query.format === 'csv' ? csvOf(record) : record;
}

/** Read in one transaction, so that balance and entries belong together. */
async function statementIn(
  tx: Tx,
  owner: PoolOwner,
  { from, to }: Period,
  now: number,
): Promise<Statement> {
  const stored = await readPool(tx, owner, now);
  // What is due, and what nodes have recorded since the pool was written, is not in the table yet.
  const pool = poolAt(stored ?? EMPTY_POOL, now);
  const entries = tx.selectFrom('credit_entries').where((eb) => eb.and(ownerColumns(owner)));
  const later = await entries
    .select(({ fn }) => ['kind', fn.sum<number>('amount').as('amount')])
    .where('day', '>', to)
    .groupBy('kind')
    .execute();
  const inPeriod = await entries
    .select(['day', 'kind', 'ref', 'amount', 'note'])
    .where('day', '>=', from)
    .where('day', '<=', to)
    .orderBy('day')
    .orderBy('kind')
    .orderBy('ref')
    .limit(ENTRIES_MAX + 1)
    .execute();
  if (inPeriod.length > ENTRIES_MAX)
    throw new KeywardError(
      'query_too_large',
      'There are too many entries. Choose a shorter period.',
    );
  const pendingLater = pool.entries.filter(({ day }) => day > to);
  const pending = pool.entries.filter(({ day }) => day >= from && day <= to);
  const sums = later.map(({ kind, amount }) => ({ kind, amount: Number(amount) }));
  const closing = balanceOf(pool) - changeOf([...sums, ...pendingLater]);
  return statementOf([...inPeriod, ...pending] as Entry[], closing);
}

const statementRecord = (
  { entries, ...sums }: Statement,
  { from, to }: Period,
): CreditStatement => ({
  ...{ from: dateOf(from), to: dateOf(to) },
  ...sums,
  entries: entries.map(({ day, kind, ref, amount, note }) => ({
    ...{ date: dateOf(day), kind, amount },
    grant: ref.startsWith('gr_') && kind !== 'adjusted' ? ref : null,
    note,
  })),
});

function csvOf({ from, to, opening, closing, entries }: CreditStatement): RawResponse {
  const lines = [
    ['date', 'kind', 'amount', 'grant', 'note'],
    [from, 'opening', opening, '', ''],
    ...entries.map(({ date, kind, amount, grant, note }) => [date, kind, amount, grant, note]),
    [to, 'closing', closing, '', ''],
  ];
  return new RawResponse({
    status: 200,
    headers: ['content-type', 'text/csv; charset=utf-8; header=present'],
    body: `${lines.map(csvLine).join('\r\n')}\r\n`,
  });
}
