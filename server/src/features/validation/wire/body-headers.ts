const TYPE = 'application/json; charset=utf-8';

/** Headers that describe a response body, as lines. */
export const bodyLines = (bytes: number): string =>
  `content-type: ${TYPE}\r\ncontent-length: ${bytes}\r\ncache-control: no-store\r\n`;

/** The same as a flat list: name, value, name, value. */
export const bodyHeaders = (bytes: number): string[] => [
  ...['content-type', TYPE],
  ...['content-length', String(bytes)],
  ...['cache-control', 'no-store'],
];
