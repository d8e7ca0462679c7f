import { type Kysely, sql } from 'kysely';
import { isoTimeOrNull } from '../../../kernel/time/clock.ts';
import type { Database } from '../../../storage/index.ts';
import { KEY_USAGE } from '../usage-kinds.ts';
import { costField, totalFields, totalOf } from './count-fields.ts';
import { type CountsFilter, keysIn } from './counts-filter.ts';
import type { CountRange } from './counts-reader.ts';
import { selectBySeq, selectKeys } from './counts-reader.ts';
import type { Series, SeriesSource } from './series.ts';
import type { ListRow, ListSource, Sort } from './totals-query.ts';
import { orderedPage } from './totals-query.ts';

interface KeyListRow extends ListRow {
  readonly grp: number;
  readonly mask: string;
  readonly custom_account_id: string | null;
  readonly custom_user_id: string | null;
  readonly env: string;
}

const keyList = (filter: CountsFilter): ListSource => ({
  from: sql`api_keys as m
    join projects as p on p.id = m.project_id
    left join key_usage as k on k.key_seq = m.seq`,
  where: keysIn(filter),
  columns: sql`m.id, m.name, m.mask, m.custom_account_id, m.custom_user_id, m.created_at, p.env,
    k.first_used_at, k.last_used_at`,
  id: sql.ref('m.id'),
  name: sql.ref('m.name'),
  lastUsedAt: sql.ref('k.last_used_at'),
  group: sql.ref('m.seq'),
});

/** One series for each key. */
export function keySource(
  db: Kysely<Database>,
  filter: CountsFilter,
  range: CountRange,
  sort: Sort,
  pageSize: number,
  toSeries: (row: KeyListRow) => Series = keySeries,
): SeriesSource {
  const list = keyList(filter);
  const selection = () => selectKeys(db, list.where, list.group);
  return {
    order: `keys by ${sort}`,
    pageSize,
    readsKeys: true,
    skipsSeries: true,
    async page(where) {
      const rows = await orderedPage<KeyListRow>(db, { list, sort, range, selection }, where);
      return rows.map(toSeries);
    },
    selection: (series) =>
      selectBySeq(
        KEY_USAGE,
        series.map(({ group }) => group as number),
      ),
  };
}

export const seriesBasics = (row: ListRow) => ({
  position: { value: row.sort_value, id: row.id },
  group: row.grp,
  since: Math.min(row.created_at, row.first_used_at ?? row.created_at),
});

function keySeries(row: KeyListRow): Series {
  return {
    ...seriesBasics(row),
    totalOf,
    row: (date, counts) => ({
      id: row.id,
      key: row.mask,
      name: row.name,
      customAccountId: row.custom_account_id,
      customUserId: row.custom_user_id,
      env: row.env,
      date,
      ...totalFields(counts),
      firstUsedAt: isoTimeOrNull(row.first_used_at),
      lastUsedAt: isoTimeOrNull(row.last_used_at),
      ...costField(counts),
    }),
  };
}
