import { looksLikeId } from '../kernel/ids.ts';
import type { Route } from '../kernel/route.ts';

export type Values = Readonly<Record<string, unknown>>;

const isId = (value: unknown): value is string => typeof value === 'string' && looksLikeId(value);

/**
 * The URL of a request for the log: the path of its route, and of its values only ids. All other text of a URL
 * may be a key value.
 */
export function loggedUrl(
  { path, query: described }: Pick<Route, 'path' | 'query'>,
  params: Values,
  query: Values,
): string {
  const url = path.replaceAll(/:(\w+)/g, (pattern, name) =>
    isId(params[name]) ? params[name] : pattern,
  );
  const filters = Object.keys(described?.properties ?? {})
    .filter((name) => isId(query[name]))
    .map((name) => `${name}=${query[name]}`);
  return filters.length === 0 ? url : `${url}?${filters.join('&')}`;
}
