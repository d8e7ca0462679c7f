const LINES_BEFORE = 'content-type: application/json; charset=utf-8\r\ncontent-length: ';
const LINES_AFTER = '\r\ncache-control: no-store\r\n';

/** Of different lengths; there are few, and should there be many, they are written anew. */
const KEPT_MAX = 4_096;
const kept = new Map<number, string>();

/** What the head of every validation's answer says of its body. Bodies of a length share one text. */
export function bodyLines(bytes: number): string {
  const known = kept.get(bytes);
  if (known !== undefined) return known;
  if (kept.size === KEPT_MAX) kept.clear();
  const lines = `${LINES_BEFORE}${bytes}${LINES_AFTER}`;
  kept.set(bytes, lines);
  return lines;
}

/** The same, flat: name, value, name, value. */
export const bodyHeaders = (bytes: number): string[] =>
  bodyLines(bytes)
    .trimEnd()
    .split(/: |\r\n/);
