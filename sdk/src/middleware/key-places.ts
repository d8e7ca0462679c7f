/** What of a request is read here; each kind of server has a view of its own. */
export interface RequestView {
  header(name: string): string | undefined;
  query(name: string): string | undefined;
}

/**
 * Where the users of your API put their key. In a query it ends up in logs and histories: it is
 * read from there only when you ask for it.
 */
export type KeyPlace = { readonly header: string } | 'bearer' | { readonly query: string };

/** The first place that has a key decides; an empty one has none. */
export function keyIn(view: RequestView, places: readonly KeyPlace[]): string | undefined {
  for (const place of places) {
    const key = keyAt(view, place);
    if (key) return key;
  }
  return undefined;
}

function keyAt(view: RequestView, place: KeyPlace): string | undefined {
  if (place === 'bearer') {
    return /^Bearer +(\S+)\s*$/i.exec(view.header('authorization') ?? '')?.[1];
  }
  return 'header' in place ? view.header(place.header)?.trim() : view.query(place.query);
}

/** What a request without a key is told to bring. */
export function challengeOf(places: readonly KeyPlace[]): string {
  if (places.includes('bearer')) return 'Bearer';
  const named = places.find((place) => typeof place === 'object' && 'header' in place);
  return named ? `ApiKey header="${named.header}"` : 'ApiKey';
}
