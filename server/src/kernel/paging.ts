import { KeywardError } from './errors.ts';
import { type IdPrefix, isIdOf } from './ids.ts';
import { parseStrictJson } from './json/json.ts';
import type { Listing, Slice } from './route.ts';

/**
 * Rows of the first read of a list, before their size is known. The largest take about 30 KB each, so that
 * they are not much more than a page.
 */
const FIRST_ROWS = 20;
/** Bytes of each further read. */
const READ_BYTES = 128 * 1024;
/** Rows of a read. A list of 100,000 keys took at most 42 MB with 200 rows, and 58 MB with 500. */
const ROWS_MAX = 200;

export interface PageRequest {
  readonly limit?: number;
  readonly cursor?: string;
  readonly offset?: number;
}

/** Rows to read: at most `size` of those after a position, without the first `offset` of them. */
export interface RowRange<Position> {
  readonly after: Position | null;
  readonly offset: number;
  readonly size: number;
}

/** Converts positions in a list to cursors and back. Cursors are base64url, because their form is private. */
export interface Positions<T, Position> {
  of(item: T): Position;
  write(position: Position): string;
  /** Null if the text is not a position in this list. */
  read(text: string): Position | null;
}

/** Lists run newest first by id. `fetch` reads rows whose id is before `after`. */
export const listing = <Row extends { id: string }, Item>(
  request: PageRequest,
  prefix: IdPrefix,
  fetch: (range: RowRange<string>) => Promise<readonly Row[]>,
  view: (row: Row) => Item,
): Promise<Listing<Item>> => {
  const positions: Positions<Row, string> = {
    of: ({ id }) => id,
    write: (id) => id,
    read: (id) => (isIdOf(prefix, id) ? id : null),
  };
  return listingIn(positions, request, fetch, view);
};

/** A list in another order. `view` makes an item of a row when the item is sent. */
export async function listingIn<Row extends object, Item, Position>(
  positions: Positions<Row, Position>,
  { limit, cursor, offset = 0 }: PageRequest,
  fetch: (range: RowRange<Position>) => Promise<readonly Row[]>,
  view: (row: Row) => Item,
): Promise<Listing<Item>> {
  const after = cursor === undefined ? null : decodeCursor(cursor, positions);
  return { limit, slices: slicesOf() };

  async function* slicesOf(): AsyncGenerator<Slice<Item>> {
    // One more than the page, to know whether there is a next.
    let left = limit === undefined ? Number.POSITIVE_INFINITY : limit + 1;
    let range: RowRange<Position> = { after, offset, size: Math.min(FIRST_ROWS, left) };
    for (;;) {
      const rows = await fetch(range);
      if (rows.length > 0)
        yield {
          length: rows.length,
          item: (n) => view(rows[n]!),
          cursorAfter: (n) => encodeCursor(positions.write(positions.of(rows[n]!))),
        };
      left -= rows.length;
      if (rows.length < range.size || left <= 0) return;
      const fitting = Math.ceil((READ_BYTES * rows.length) / bytesOf(rows));
      const size = Math.min(fitting, ROWS_MAX, left);
      range = { after: positions.of(rows.at(-1)!), offset: 0, size };
    }
  }
}

export const NO_ITEMS: Listing<never> = { limit: undefined, slices: noSlices() };

async function* noSlices() {}

/** The items of a page, or of a whole list that is known to be short. */
export async function itemsOf<Item>({ limit, slices }: Listing<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const slice of slices)
    for (let n = 0; n < slice.length; n++) items.push(slice.item(n));
  return items.slice(0, limit);
}

/** About the size of rows: numbers count as 8 bytes, and text as its length. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 0;
  for (const each of Object.values(value)) bytes += bytesOf(each);
  return bytes;
}

/**
 * The values of a cursor that is a JSON array; none if it is not. Clients can change cursors, so the values
 * can have any type; strings contain only characters that both databases accept.
 */
export function cursorValues(text: string): readonly unknown[] {
  try {
    const values = parseStrictJson(Buffer.from(text));
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

const encodeCursor = (position: string): string => Buffer.from(position).toString('base64url');

function decodeCursor<Position>(cursor: string, positions: Positions<never, Position>): Position {
  const position = positions.read(Buffer.from(cursor, 'base64url').toString());
  if (position === null) throw new KeywardError('invalid_cursor');
  return position;
}
