import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { keyPage } from '../../api-keys/index.ts';
import { KEY_USAGE } from '../usage-kinds.ts';
import { totalsSeries } from './count-fields.ts';
import type { CountsFilter } from './counts-filter.ts';
import type { CountRange } from './counts-reader.ts';
import { keyConditions, requireFewKeys } from './key-sources.ts';
import { selectBySeq, selectOwners } from './selections.ts';
import type { Series, SeriesSource } from './series.ts';
import type { SeriesRange } from './series-range.ts';
import { type ListRow, needsCounts, orderedPage, type Sort } from './totals-query.ts';

interface KeyListRow extends ListRow {
  readonly grp: number;
  readonly mask: string;
  readonly custom_account_id: string | null;
  readonly custom_user_id: string | null;
  readonly env: string;
}

const COLUMNS = sql`m.id, m.name, m.mask, m.custom_account_id, m.custom_user_id, m.created_at, p.env,
    k.first_used_at, k.last_used_at`;
const JOINED = sql`join projects as p on p.id = m.project_id
    left join key_usage as k on k.key_seq = m.seq`;

/** One series for each key. */
export function keySource(
  db: Kysely<Database>,
  filter: CountsFilter,
  range: CountRange,
  sort: Sort,
  pageSize: number,
  toSeries: (row: KeyListRow) => Series = keySeries,
): SeriesSource {
  const page = needsCounts(sort) ? byCounts : byKeys;
  return {
    order: `keys by ${sort}`,
    pageSize,
    readsKeys: true,
    skipsSeries: true,
    async page(where) {
      const rows = await page(db, { filter, range, sort, where });
      return rows.map(toSeries);
    },
    selection: (series) =>
      selectBySeq(
        KEY_USAGE,
        series.map(({ group }) => group as number),
      ),
  };
}

interface PageOfKeys {
  readonly filter: CountsFilter;
  readonly range: CountRange;
  readonly sort: Sort;
  readonly where: SeriesRange;
}

async function byCounts(
  db: Kysely<Database>,
  { filter, range, sort, where: page }: PageOfKeys,
): Promise<readonly KeyListRow[]> {
  const where = await requireFewKeys(db, filter.accountId, keyConditions(filter));
  const group = sql.ref('m.seq');
  const list = {
    from: sql`api_keys as m ${JOINED}`,
    where,
    columns: COLUMNS,
    id: sql.ref('m.id'),
    name: sql.ref('m.name'),
    lastUsedAt: sql.ref('k.last_used_at'),
    group,
  };
  const selection = () => selectOwners(db, KEY_USAGE, where, group);
  return orderedPage<KeyListRow>(db, { list, sort, range, selection }, page);
}

const KEY_SORTS = { newest: 'createdAt', name: 'name', lastUsedAt: 'lastUsedAt' } as const;

/** In the orders of the list of keys. */
async function byKeys(
  db: Kysely<Database>,
  { filter, sort, where }: PageOfKeys,
): Promise<readonly KeyListRow[]> {
  const { accountId } = filter;
  const conditions = keyConditions(filter);
  // No index finds the keys of a plan, so there may be none among many keys.
  if (filter.planId !== undefined) await requireFewKeys(db, accountId, conditions);
  const order = { sort: KEY_SORTS[sort as keyof typeof KEY_SORTS], ascending: sort === 'name' };
  const direction = order.ascending ? sql`asc` : sql`desc`;
  const read = async (page: RawBuilder<unknown>): Promise<readonly KeyListRow[]> => {
    const { rows } = await sql<KeyListRow>`
      select ${COLUMNS}, m.seq as grp, page.value as sort_value
      from (${page}) as page cross join api_keys as m ${JOINED} where m.id = page.id
      order by page.value ${direction}, page.id ${direction}`.execute(db);
    return rows;
  };
  const listed = { from: sql`api_keys as m`, alias: 'm' };
  const rows: KeyListRow[] = [];
  let { after, inclusive: isInclusive, size, offset } = where;
  for (;;) {
    const request = { db, accountId, listed, after, isInclusive, offset, size, read };
    const found = await keyPage(order, conditions, request);
    rows.push(...found.rows);
    if (found.upTo === null) return rows;
    after = found.upTo;
    isInclusive = false;
    size -= found.rows.length;
    offset = 0;
  }
}

const keySeries = (row: KeyListRow): Series =>
  totalsSeries(row, {
    id: row.id,
    key: row.mask,
    name: row.name,
    customAccountId: row.custom_account_id,
    customUserId: row.custom_user_id,
    env: row.env,
  });
