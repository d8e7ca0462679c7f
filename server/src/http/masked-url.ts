import { looksLikeId } from '../kernel/ids.ts';
import type { Route } from '../kernel/route.ts';

/**
 * Masks URLs for the log. Paths and the query `key` may contain key values, so only known harmless
 * parts are kept: words of our own paths and queries, ids, short numbers and flags.
 */
export function createUrlMask(
  routes: Iterable<Pick<Route, 'path' | 'query'>>,
): (url: string) => string {
  const words = new Set<string>(['dashboard', 'docs', '']);
  const names = new Set<string>(['key']);
  for (const { path, query } of routes) {
    for (const word of path.split('/')) if (!word.startsWith(':')) words.add(word);
    for (const name of Object.keys(query?.properties ?? {})) names.add(name);
  }
  const harmless = (text: string) => words.has(text) || looksLikeId(text);
  return (url) => {
    const [path = '', query] = url.split('?', 2);
    const masked = path
      .split('/')
      .map((segment) => (harmless(segment) ? segment : '***'))
      .join('/');
    return query === undefined ? masked : `${masked}?${maskQuery(query, names)}`;
  };
}

/** At most seven digits: a key value may consist of eight. */
const HARMLESS_VALUE = /^(\d{1,7}|true|false|null|)$/;

function maskQuery(query: string, names: ReadonlySet<string>): string {
  return query
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      const shown = HARMLESS_VALUE.test(value) || looksLikeId(value) ? value : '***';
      return `${names.has(name) ? name : '***'}=${shown}`;
    })
    .join('&');
}
