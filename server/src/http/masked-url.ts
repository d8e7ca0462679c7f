import { looksLikeId } from '../kernel/ids.ts';

/**
 * A URL as a log may hold it. Key values travel in paths and in the query `key`, so that nothing is
 * kept but what is known to be harmless: words of our own paths, ids, numbers and flags.
 */
export function createUrlMask(paths: Iterable<string>): (url: string) => string {
  const words = new Set<string>(['dashboard', 'docs', '']);
  for (const path of paths)
    for (const word of path.split('/')) if (!word.startsWith(':')) words.add(word);
  const harmless = (text: string) => words.has(text) || looksLikeId(text);
  return (url) => {
    const [path = '', query] = url.split('?', 2);
    const masked = path
      .split('/')
      .map((segment) => (harmless(segment) ? segment : '***'))
      .join('/');
    return query === undefined ? masked : `${masked}?${maskQuery(query)}`;
  };
}

const PLAIN_VALUE = /^(\d{1,16}|true|false|null|)$/;
const PLAIN_NAME = /^[A-Za-z]{1,32}$/;

function maskQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      const shown = PLAIN_VALUE.test(value) || looksLikeId(value) ? value : '***';
      return `${PLAIN_NAME.test(name) ? name : '***'}=${shown}`;
    })
    .join('&');
}
