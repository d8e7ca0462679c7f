/**
 * What of a request is read here; each kind of server has a reader of its own. One for all of its
 * requests: an object made for each would cost more than what is read with it.
 */
export interface RequestReader<Request> {
  /** `name` in small letters. */
  header(request: Request, name: string): string | undefined;
  query(request: Request, name: string): string | undefined;
}

/**
 * Where the users of your API put their key. In a query it ends up in logs and histories: it is
 * read from there only when you ask for it.
 */
export type KeyPlace = { readonly header: string } | 'bearer' | { readonly query: string };

/** The first place that has a key decides; an empty one has none. */
export function keyFinder<Request>(
  reader: RequestReader<Request>,
  places: readonly KeyPlace[],
): (request: Request) => string | undefined {
  const finders = places.map((place) => finderAt(reader, place));
  // Nearly always: a loop would cost as much as what it finds.
  const [only, ...others] = finders;
  if (only !== undefined && others.length === 0) return (request) => only(request) || undefined;
  return (request) => {
    for (const find of finders) {
      const key = find(request);
      if (key) return key;
    }
    return undefined;
  };
}

function finderAt<Request>(
  reader: RequestReader<Request>,
  place: KeyPlace,
): (request: Request) => string | undefined {
  if (place === 'bearer')
    return (request) =>
      /^Bearer +(\S+)\s*$/i.exec(reader.header(request, 'authorization') ?? '')?.[1];
  if ('query' in place) return (request) => reader.query(request, place.query);
  const name = place.header.toLowerCase();
  return (request) => reader.header(request, name)?.trim();
}

/** What a request without a key is told to bring. */
export function challengeOf(places: readonly KeyPlace[]): string {
  if (places.includes('bearer')) return 'Bearer';
  const named = places.find((place) => typeof place === 'object' && 'header' in place);
  return named ? `ApiKey header="${named.header}"` : 'ApiKey';
}
