import { KeywardError } from './errors.ts';
import { type IdPrefix, isIdOf } from './ids.ts';
import { parseStrictJson } from './json/json.ts';
import type { Listing } from './route.ts';

/**
 * Rows per read while a whole list is streamed, so that memory does not grow with its length. A list
 * of 100,000 keys took at most 42 MB with 200 rows, and 58 MB with 500.
 */
const WHOLE_LIST_PAGE = 200;

export interface PageRequest {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Converts positions in a list to cursors and back. Cursors are base64url, because their form is private. */
export interface Positions<T, Position> {
  of(item: T): Position;
  write(position: Position): string;
  /** Null if the text is not a position in this list. */
  read(text: string): Position | null;
}

/** Lists run newest first by id. `fetch` reads at most `size` rows whose id is before `before`. */
export const listing = <T extends { id: string }>(
  request: PageRequest,
  prefix: IdPrefix,
  fetch: (before: string | null, size: number) => Promise<readonly T[]>,
): Promise<Listing<T>> => {
  const positions: Positions<T, string> = {
    of: ({ id }) => id,
    write: (id) => id,
    read: (id) => (isIdOf(prefix, id) ? id : null),
  };
  return listingIn(positions, request, fetch);
};

/** A list in another order. `fetch` reads at most `size` rows after a position. */
export async function listingIn<T, Position>(
  positions: Positions<T, Position>,
  request: PageRequest,
  fetch: (after: Position | null, size: number) => Promise<readonly T[]>,
): Promise<Listing<T>> {
  const start = request.cursor === undefined ? null : decodeCursor(request.cursor, positions);
  if (request.limit === undefined) return { pages: allPages(positions, start, fetch) };
  const rows = await fetch(start, request.limit + 1);
  const page = rows.slice(0, request.limit);
  const next =
    rows.length > request.limit ? encodeCursor(positions.write(positions.of(page.at(-1)!))) : null;
  return { page, next };
}

async function* allPages<T, Position>(
  positions: Positions<T, Position>,
  start: Position | null,
  fetch: (after: Position | null, size: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = start; ; ) {
    const rows = await fetch(after, WHOLE_LIST_PAGE);
    if (rows.length > 0) yield rows;
    if (rows.length < WHOLE_LIST_PAGE) return;
    after = positions.of(rows.at(-1)!);
  }
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
