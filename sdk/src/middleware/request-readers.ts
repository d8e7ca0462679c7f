import type { RequestReader } from './key-sources.ts';
import { routeResource } from './route-resource.ts';

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
  resource: () => undefined,
};

interface FastifyRequest extends NodeRequest {
  readonly method?: string | undefined;
  readonly routeOptions?: { readonly url?: string | undefined } | undefined;
}

export const fastifyReader: RequestReader<FastifyRequest> = {
  ...nodeReader,
  resource: ({ method, routeOptions }) => routeResource(method, routeOptions?.url),
};

interface MountedRequest extends NodeRequest {
  readonly method?: string | undefined;
  readonly originalUrl?: string;
  readonly baseUrl?: string;
  readonly route?: { readonly path?: unknown } | undefined;
}

/**
 * Uses `originalUrl`, because a mounted router removes its mount path from `url`. Of a mounted router, `baseUrl` is what
 * the client wrote, not a pattern, so its routes have no `resource`.
 */
export const mountedReader: RequestReader<MountedRequest> = {
  header: nodeHeader,
  query: ({ originalUrl = '' }, name) => queryOf(originalUrl, name),
  address: nodeAddress,
  resource: ({ method, baseUrl, route }) =>
    baseUrl ? undefined : routeResource(method, route?.path),
};

/** Nest's platforms are Express and Fastify. */
export const nestReader: RequestReader<MountedRequest & FastifyRequest> = {
  ...mountedReader,
  resource: (request) => (request.routeOptions ? fastifyReader : mountedReader).resource(request),
};

/** A Fetch API request. */
export const fetchReader: RequestReader<Request> = {
  header: ({ headers }, name) => headers.get(name) ?? undefined,
  query: ({ url }, name) => queryOf(url, name),
  address: () => undefined,
  resource: () => undefined,
};

function queryOf(url: string, name: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  return new URLSearchParams(url.slice(start + 1)).get(name) ?? undefined;
}
