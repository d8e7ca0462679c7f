const LINES_BEFORE = 'content-type: application/json; charset=utf-8\r\ncontent-length: ';
const LINES_AFTER = '\r\ncache-control: no-store\r\n';

/** What the head of every validation's answer says of its body. */
export const bodyLines = (contentLength: string): string =>
  LINES_BEFORE + contentLength + LINES_AFTER;

/** The same, flat: name, value, name, value. */
export const bodyHeaders = (contentLength: string): string[] =>
  bodyLines(contentLength)
    .trimEnd()
    .split(/: |\r\n/);
