import { KeywardError } from '../kernel/errors.ts';
import type { Call, Listing, Route } from '../kernel/route.ts';
import { LIMIT_MAX } from '../kernel/schemas.ts';

interface PagedQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly offset?: number;
}

/**
 * Calls a list route; with `offset`, pages before it are read and dropped. That costs as much as
 * reading them would, so `cursor` is the better way through a long list.
 */
export async function listFrom(route: Route, call: Call): Promise<Listing<unknown>> {
  const { offset = 0, ...query } = call.query as PagedQuery;
  if (offset > 0 && query.cursor !== undefined)
    throw new KeywardError('invalid_query', 'Send either offset or cursor.');
  const list = (page: PagedQuery) =>
    route.handle({ ...call, query: { ...query, ...page } }) as Promise<Listing<unknown>>;
  let start: PagedQuery = {};
  for (let left = offset; left > 0; ) {
    const skipped = await list({ ...start, limit: Math.min(left, LIMIT_MAX) });
    if (!('page' in skipped)) throw new TypeError('a list with a limit is a page');
    if (skipped.next === null) return { page: [], next: null };
    left -= skipped.page.length;
    start = { cursor: skipped.next };
  }
  return list(start);
}
