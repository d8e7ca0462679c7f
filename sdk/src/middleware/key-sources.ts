/** Reads headers, query parameters and the address; one implementation per kind of server. */
export interface RequestReader<Request> {
  /** `name` is in lower case. */
  header(request: Request, name: string): string | undefined;
  query(request: Request, name: string): string | undefined;
  /** The address of the connection; undefined if the server does not know it. */
  address(request: Request): string | undefined;
  /** The pattern of the request's route, as `resource`; undefined if the server does not know it. */
  resource(request: Request): string | undefined;
}

/**
 * Where the users of your API send their key. A key in the query ends up in logs and browser histories,
 * so the query is read only if you configure it.
 */
export type KeySource = { readonly header: string } | 'bearer' | { readonly query: string };

/** Returns the key from the first source that has one. */
export function keyFinder<Request>(
  reader: RequestReader<Request>,
  sources: readonly KeySource[],
): (request: Request) => string | undefined {
  const finders = sources.map((source) => finderIn(reader, source));
  return (request) => {
    for (const find of finders) {
      const key = find(request);
      if (key) return key;
    }
    return undefined;
  };
}

function finderIn<Request>(
  reader: RequestReader<Request>,
  source: KeySource,
): (request: Request) => string | undefined {
  if (source === 'bearer')
    return (request) =>
      /^Bearer +(\S+)\s*$/i.exec(reader.header(request, 'authorization') ?? '')?.[1];
  if ('query' in source) return (request) => reader.query(request, source.query);
  const name = source.header.toLowerCase();
  return (request) => reader.header(request, name)?.trim();
}

/** The `WWW-Authenticate` header for a request without a valid key. */
export function challengeOf(sources: readonly KeySource[]): string {
  if (sources.includes('bearer')) return 'Bearer';
  const named = sources.find((source) => typeof source === 'object' && 'header' in source);
  return named ? `ApiKey header="${named.header}"` : 'ApiKey';
}
