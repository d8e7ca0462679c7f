import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from './schema/index.ts';

/**
 * Reads pages of lists that may have millions of rows, each page for a bounded number of rows looked at:
 * docs/decisions/0076-long-lists.md. A page is found in two steps. A source, which an index finds, gives ids; of
 * these, the other conditions select.
 */

/** Rows of a table, or of another table about it, that an index finds. */
export interface Source {
  /** Like `api_keys as i`. */
  readonly from: RawBuilder<unknown>;
  /** Conditions that an index fulfils, without looking at other rows. */
  readonly where: readonly RawBuilder<SqlBool>[];
  /** The id of the listed row. */
  readonly id: RawBuilder<unknown>;
}

/** A source whose index is in the order of the list. */
export interface Walk extends Source {
  /** What the list is sorted by before the id; null: by the id alone. */
  readonly value: RawBuilder<unknown> | null;
  readonly ascending: boolean;
  /** Conditions on the listed table that no index fulfils. */
  readonly also?: readonly RawBuilder<SqlBool>[];
}

export interface Position {
  readonly value: string | number | null;
  readonly id: string;
}

/** A page. With `upTo`, the search ended at this position, and the rest of the list may have more rows. */
export interface Found<Row> {
  readonly rows: readonly Row[];
  readonly upTo: Position | null;
}

/** The table whose rows are listed, like `api_keys as m` with the alias `m`. */
export interface Listed {
  readonly from: RawBuilder<unknown>;
  readonly alias: string;
}

const idOf = ({ alias }: Listed): RawBuilder<unknown> => sql.ref(`${alias}.id`);

export interface PageRequest<Row> {
  readonly db: Kysely<Database>;
  readonly listed: Listed;
  /** Conditions on the listed table that the source does not fulfil. */
  readonly where: readonly RawBuilder<SqlBool>[];
  readonly after: Position | null;
  /** Whether the page begins with the row at `after` itself. */
  readonly isInclusive?: boolean;
  /** How many rows to skip. */
  readonly offset?: number;
  readonly size: number;
  /** Reads the rows of `(value, id)` in their order. */
  read(page: RawBuilder<unknown>): Promise<readonly Row[]>;
}

/** Looking at this many rows, or sorting them, takes up to 60 ms of CPU on PostgreSQL, and 30 ms on SQLite. */
export const LOOKED_AT_MAX = 5_000;
const FEW = LOOKED_AT_MAX;
/** The first part of what a page looks at is small, because most filters find enough there. */
const FIRST_PART = 1_000;

/** Whether the rows of a source are so few that all can be read and sorted. */
export async function isFew(
  db: Kysely<Database>,
  { from, where }: Source,
  most = FEW,
): Promise<boolean> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count
    from (select 1 from ${from} where ${all(where)} limit ${most + 1}) as few`.execute(db);
  return Number(rows[0]!.count) <= most;
}

interface Order {
  /** An expression of the listed table and of what `join` adds; null: by the id alone. */
  readonly value: RawBuilder<unknown> | null;
  readonly join?: RawBuilder<unknown>;
  readonly ascending: boolean;
}

/** A page of a source with few rows, in any order. */
export async function sortedPage<Row>(
  { listed, where, after, isInclusive, offset = 0, size, read }: Omit<PageRequest<Row>, 'db'>,
  source: Source,
  { value, join = sql``, ascending }: Order,
): Promise<Found<Row>> {
  const part = sql`select ${source.id} as id from ${source.from} where ${all(source.where)}
    limit ${2 * FEW}`;
  const values = sql`select c.id as id, (select ${value ?? sql`1`} from ${listed.from} ${join}
      where ${all([sql`${idOf(listed)} = c.id`, ...where])}) as value
    from (${part}) as c limit ${2 * FEW}`;
  const sorted = { value: value && sql`v.value`, id: sql`v.id`, ascending };
  const conditions = [sql<SqlBool>`v.value is not null`];
  if (after !== null) conditions.push(beyond(sorted, after, isInclusive));
  const rows = await read(sql`select v.value as value, v.id as id from (${values}) as v
    where ${all(conditions)} ${orderBy(sorted)} limit ${size} offset ${offset}`);
  return { rows, upTo: null };
}

/** A page of a list that consists of several walks. `first`: the walk in which the page begins. */
export async function walkedPage<Row>(
  request: PageRequest<Row>,
  walks: readonly Walk[],
  first = 0,
): Promise<Found<Row>> {
  const rows: Row[] = [];
  let left = LOOKED_AT_MAX;
  let { after, isInclusive, offset = 0 } = request;
  for (const walk of walks.slice(first)) {
    const where = [...request.where, ...(walk.also ?? [])];
    for (let part = FIRST_PART; ; part *= 2) {
      const size = request.size - rows.length;
      const count =
        where.length === 0 ? size + offset : Math.min(Math.max(part, size), left || part);
      const next = { where, after, isInclusive, count };
      const found = await request.read(matching(request.listed, walk, { ...next, size, offset }));
      rows.push(...found);
      if (rows.length >= request.size) return { rows, upTo: null };
      if (found.length > 0) offset = 0;
      else if (offset > 0) offset -= await countOf(request, walk, { ...next, size: offset });
      after = where.length === 0 ? null : await endOf(request.db, walk, next);
      isInclusive = false;
      if (after === null) break;
      left = Math.max(left - count, 0);
      // With an offset, the page must not end early: the cursor of the next page could not say how many rows are
      // still to be skipped.
      if (left === 0 && offset === 0) return { rows, upTo: after };
    }
  }
  return { rows, upTo: null };
}

interface Part {
  readonly where: readonly RawBuilder<SqlBool>[];
  readonly after: Position | null;
  readonly isInclusive?: boolean | undefined;
  /** Rows of the walk. */
  readonly count: number;
  /** Rows of the page. */
  readonly size: number;
  readonly offset?: number;
}

/**
 * 1 if the row of `c` meets the conditions; otherwise null. A scalar subquery makes both databases look each row
 * up: PostgreSQL would join with a scan of the whole table.
 */
const meets = (listed: Listed, where: readonly RawBuilder<SqlBool>[]) =>
  sql`(select 1 from ${listed.from} where ${all([sql`${idOf(listed)} = c.id`, ...where])})`;

/** `(value, id)` of the next rows of a walk that meet all conditions. */
function matching(listed: Listed, walk: Walk, { where, size, offset = 0, ...part }: Part) {
  if (where.length === 0) return nextOf(walk, part, sql`limit ${size} offset ${offset}`);
  const next = nextOf(walk, part, sql`limit ${part.count}`);
  const order = { value: walk.value && sql`c.value`, id: sql`c.id`, ascending: walk.ascending };
  return sql`select c.value, c.id from (${next}) as c
    where ${meets(listed, where)} = 1 ${orderBy(order)} limit ${size} offset ${offset}`;
}

/** How many of the next rows meet all conditions, up to `size`. */
async function countOf(
  { db, listed }: Pick<PageRequest<unknown>, 'db' | 'listed'>,
  walk: Walk,
  part: Part,
): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count
    from (${matching(listed, walk, part)}) as skipped`.execute(db);
  return Number(rows[0]!.count);
}

/** The position of the last of the next `count` rows; null if there are fewer. */
async function endOf(
  db: Kysely<Database>,
  walk: Walk,
  part: Omit<Part, 'where' | 'size' | 'offset'>,
): Promise<Position | null> {
  const { rows } =
    await sql<Position>`${nextOf(walk, part, sql`limit 1 offset ${part.count - 1}`)}`.execute(db);
  const [last] = rows;
  return last === undefined ? null : { value: walk.value && last.value, id: last.id };
}

function nextOf(
  walk: Walk,
  { after, isInclusive }: Pick<Part, 'after' | 'isInclusive'>,
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const where = after === null ? walk.where : [...walk.where, beyond(walk, after, isInclusive)];
  return sql`select ${walk.value ?? sql`1`} as value, ${walk.id} as id from ${walk.from}
    where ${all(where)} ${orderBy(walk)} ${limit}`;
}

type Sorted = Pick<Walk, 'value' | 'id' | 'ascending'>;

function orderBy({ value, id, ascending }: Sorted): RawBuilder<unknown> {
  const direction = ascending ? sql`asc` : sql`desc`;
  return value === null
    ? sql`order by ${id} ${direction}`
    : sql`order by ${value} ${direction}, ${id} ${direction}`;
}

function beyond(
  { value, id, ascending }: Sorted,
  after: Position,
  isInclusive = false,
): RawBuilder<SqlBool> {
  const than = sql.raw(`${ascending ? '>' : '<'}${isInclusive ? '=' : ''}`);
  return value === null
    ? sql`${id} ${than} ${after.id}`
    : sql`(${value}, ${id}) ${than} (${after.value}, ${after.id})`;
}

/** How many rows match, up to `most`, and whether all that may match were looked at. */
export async function countIn(
  db: Kysely<Database>,
  listed: Listed,
  { from, where, id }: Source,
  others: readonly RawBuilder<SqlBool>[],
  most: number,
): Promise<{ count: number; isExact: boolean }> {
  const part = sql`select ${id} as id from ${from} where ${all(where)} limit ${most + 1}`;
  const kept = others.length === 0 ? sql`1` : sql`coalesce(${meets(listed, others)}, 0)`;
  const { rows } = await sql<{ seen: number | string; count: number | string | null }>`
    select count(*) as seen, sum(kept) as count from (select ${kept} as kept from (${part}) as c) as k
  `.execute(db);
  const { seen, count } = rows[0]!;
  return { count: Math.min(Number(count ?? 0), most), isExact: Number(seen) <= most };
}

const all = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
