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

/**
 * Rows that were found in a part of a list. With `upTo`, the search ended at this position, and there may be more
 * behind it. Without it, fewer rows than requested are the end of the list.
 */
interface FoundRows<Row, Position> {
  readonly rows: readonly Row[];
  readonly upTo: Position | null;
}

type Fetch<Row, Position> = (
  range: RowRange<Position>,
) => Promise<readonly Row[] | FoundRows<Row, Position>>;

/** Lists run newest first by id. `fetch` reads rows whose id is before `after`. */
export const listing = <Row extends { id: string }, Item>(
  request: PageRequest,
  prefix: IdPrefix,
  fetch: Fetch<Row, string>,
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
  fetch: Fetch<Row, Position>,
  view: (row: Row) => Item,
): Promise<Listing<Item>> {
  const after = cursor === undefined ? null : decodeCursor(cursor, positions);
  return { limit, slices: slicesOf() };

  async function* slicesOf(): AsyncGenerator<Slice<Item>> {
    // One more than the page, to know whether there is a next.
    let left = limit === undefined ? Number.POSITIVE_INFINITY : limit + 1;
    let range: RowRange<Position> = { after, offset, size: Math.min(FIRST_ROWS, left) };
    for (;;) {
      const { rows, upTo } = foundIn(await fetch(range));
      // A page ends where the search ended; a whole list goes on.
      const endsPage = upTo !== null && limit !== undefined;
      if (rows.length > 0 || endsPage)
        yield {
          length: rows.length,
          item: (n) => view(rows[n]!),
          cursorAfter: (n) => encodeCursor(positions.write(positions.of(rows[n]!))),
          ...(endsPage && { endsPageAt: encodeCursor(positions.write(upTo)) }),
        };
      left -= rows.length;
      if (endsPage || left <= 0 || (upTo === null && rows.length < range.size)) return;
      const after = upTo ?? positions.of(rows.at(-1)!);
      const fitting = Math.ceil((READ_BYTES * rows.length) / bytesOf(rows)) || ROWS_MAX;
      range = { after, offset: 0, size: Math.min(fitting, ROWS_MAX, left) };
    }
  }
}

const foundIn = <Row, Position>(
  found: readonly Row[] | FoundRows<Row, Position>,
): FoundRows<Row, Position> => ('upTo' in found ? found : { rows: found, upTo: null });

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
