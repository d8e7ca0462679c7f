import { type MoveSource, primaryKeyOf, type Row } from './source.ts';
import type { MoveTarget } from './target.ts';

/** Limits of a page, which is kept in memory and written in one transaction. */
const ROWS_MAX = 2_000;
const BYTES_MAX = 1_000_000;

/** Copies the rows that are missing in the target, page by page. */
export async function copyTables(
  source: MoveSource,
  target: MoveTarget,
  onRows: (rows: number) => void,
): Promise<void> {
  const { table: reached, after } = target.record;
  const from = source.tables.findIndex(({ name }) => name === reached);
  for (const [index, table] of source.tables.entries()) {
    if (index < from) continue;
    for (const page of pagesOf(source.rows(table, index === from ? after : null))) {
      await target.write(table, page, primaryKeyOf(table, page.at(-1)!));
      onRows(page.length);
    }
  }
}

function* pagesOf(rows: Iterable<Row>): Generator<Row[]> {
  let page: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    page.push(row);
    bytes += sizeOf(row);
    if (page.length < ROWS_MAX && bytes < BYTES_MAX) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}

const sizeOf = (row: Row): number =>
  row.reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  );
