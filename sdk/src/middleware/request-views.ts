import type { RequestView } from './key-places.ts';

/** A request of `node:http`, and of everything that stands on it. */
interface NodeRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly url?: string | undefined;
}

export const nodeView = ({ headers, url = '' }: NodeRequest): RequestView => ({
  header(name) {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  },
  query: (name) => queryOf(url, name),
});

/** A request as `fetch` knows it. */
export const fetchView = ({ headers, url }: Request): RequestView => ({
  header: (name) => headers.get(name) ?? undefined,
  query: (name) => queryOf(url, name),
});

function queryOf(url: string, name: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  return new URLSearchParams(url.slice(start + 1)).get(name) ?? undefined;
}
