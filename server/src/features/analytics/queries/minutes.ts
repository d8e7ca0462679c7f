import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { floorTo, MINUTE_MS, QUARTER_HOUR_MS } from '../usage-kinds.ts';
import { type CountsFilter, keysIn } from './counts-filter.ts';
import { countsFrom } from './counts-reader.ts';
import { type CountSelection, selectKeys } from './selections.ts';

/** The counts of one key in one minute. */
export interface MinuteRow {
  readonly start: number;
  /** The `seq` of the key. */
  readonly seq: number;
  readonly valid: number;
  /** The sum of the costs of valid requests. */
  readonly cost: number;
  /** Requests that a limit or missing credits refused. */
  readonly refused: number;
}

/** Processing a page must not delay validations noticeably. */
const PAGE_ROWS = 5_000;

/** The minutes of keys in [from, until), by time and then by key, in pages. */
export async function* readMinutes(
  db: Kysely<Database>,
  filter: CountsFilter,
  from: number,
  until: number,
): AsyncGenerator<readonly MinuteRow[]> {
  const selection = await selectKeys(db, keysIn(filter), sql.ref('m.seq'));
  // For each page, the database may sort all rows of its part again. So a part is as long as fits into one page.
  let lengthMs = QUARTER_HOUR_MS;
  for (let start = from; start < until; ) {
    const end = Math.min(start + lengthMs, until);
    let rows = 0;
    for await (const page of readPart(db, selection, start, end)) {
      rows += page.length;
      yield page;
    }
    lengthMs = rows > PAGE_ROWS / 2 ? Math.max(MINUTE_MS, lengthMs / 2) : lengthMs * 2;
    lengthMs = Math.min(floorTo(lengthMs, MINUTE_MS), QUARTER_HOUR_MS);
    start = end;
  }
}

async function* readPart(
  db: Kysely<Database>,
  selection: CountSelection,
  from: number,
  until: number,
): AsyncGenerator<readonly MinuteRow[]> {
  let after = { start: from - MINUTE_MS, seq: 0 };
  for (;;) {
    const segment = { level: 'minutes' as const, from: Math.max(from, after.start), until };
    const columns = sql`select u.start, u.seq, u.valid, u.valid + u.extra_cost as cost,
      u.rate_limited + u.credits_exhausted as refused`;
    const { rows } = await sql<MinuteRow>`${countsFrom(selection, segment, columns)}
      and (u.start, u.seq) > (${after.start}, ${after.seq})
      order by u.start, u.seq limit ${PAGE_ROWS}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)!;
  }
}
