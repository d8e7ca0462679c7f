import type { RequestReader } from './key-sources.ts';

/** A request of `node:http` or of a framework based on it. */
interface NodeRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly url?: string | undefined;
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}

function nodeHeader({ headers }: NodeRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const nodeAddress = ({ socket }: NodeRequest): string | undefined => socket?.remoteAddress;

export const nodeReader: RequestReader<NodeRequest> = {
  header: nodeHeader,
  query: ({ url = '' }, name) => queryOf(url, name),
  address: nodeAddress,
};

/** Uses `originalUrl`, because a mounted router removes its mount path from `url`. */
export const mountedReader: RequestReader<NodeRequest & { readonly originalUrl?: string }> = {
  header: nodeHeader,
  query: ({ originalUrl = '' }, name) => queryOf(originalUrl, name),
  address: nodeAddress,
};

/** A Fetch API request. */
export const fetchReader: RequestReader<Request> = {
  header: ({ headers }, name) => headers.get(name) ?? undefined,
  query: ({ url }, name) => queryOf(url, name),
  address: () => undefined,
};

function queryOf(url: string, name: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  return new URLSearchParams(url.slice(start + 1)).get(name) ?? undefined;
}
