import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeywardError } from '../../kernel/errors.ts';

/** The methods of every mounted path, for requests that match no route. */
export class AllowedMethods {
  readonly #byUrl = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  add(url: string, methods: string | readonly string[]): void {
    let entry = this.#byUrl.get(url);
    if (entry === undefined) {
      entry = { pattern: patternOf(url), methods: new Set() };
      this.#byUrl.set(url, entry);
    }
    for (const method of [methods].flat()) entry.methods.add(method);
  }

  /** Sorted; empty when no route has this path. */
  of(path: string): string[] {
    const found = [...this.#byUrl.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/**
 * Rejects a request that matches no route: 404 for an unknown path, 405 for a method that the path
 * does not support. OPTIONS returns the supported methods; `handlePortalCors` has handled CORS before.
 */
export function rejectUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: AllowedMethods,
): FastifyReply {
  const [path = ''] = request.url.split('?', 1);
  const methods = allowed.of(path);
  if (methods.length === 0) throw new KeywardError('route_not_found');
  const allow = methods.join(', ');
  if (request.method === 'OPTIONS') return reply.status(204).header('allow', allow).send();
  throw new KeywardError(
    'method_not_allowed',
    `This path does not support ${request.method}. It supports ${allow}.`,
    { headers: ['allow', allow] },
  );
}

/**
 * As the router matches paths: `:name` is one segment, which may be restricted by an expression in
 * parentheses, `*` is the rest, and a trailing slash is optional.
 */
function patternOf(url: string): RegExp {
  const segments = url.replace(/\/$/, '').split('/');
  const source = segments.map((segment) => {
    if (segment === '*') return '.*';
    if (!segment.startsWith(':')) return segment.replaceAll(/[^\w-]/g, '\\$&');
    const expression = /\(\^(.*)\$\)$/.exec(segment)?.[1];
    return expression === undefined ? '[^/]+' : `(?:${expression})`;
  });
  return new RegExp(`^${source.join('/')}/?$`);
}
