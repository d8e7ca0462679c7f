const LINES_BEFORE = 'content-type: application/json; charset=utf-8\r\ncontent-length: ';
const LINES_AFTER = '\r\ncache-control: no-store\r\n';

/** Distinct body lengths are few. If there are more, the cache is cleared. */
const CACHED_MAX = 4_096;
const cachedLines = new Map<number, string>();

/** Header lines that describe a response body. Bodies of the same length share one string. */
export function bodyLines(bytes: number): string {
  const known = cachedLines.get(bytes);
  if (known !== undefined) return known;
  if (cachedLines.size === CACHED_MAX) cachedLines.clear();
  const lines = `${LINES_BEFORE}${bytes}${LINES_AFTER}`;
  cachedLines.set(bytes, lines);
  return lines;
}

/** The same as a flat list: name, value, name, value. */
export const bodyHeaders = (bytes: number): string[] =>
  bodyLines(bytes)
    .trimEnd()
    .split(/: |\r\n/);
