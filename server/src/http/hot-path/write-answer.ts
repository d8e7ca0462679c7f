import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Answer } from '../../kernel/route.ts';

/**
 * Where Node keeps the finished head of an answer; `end` sends it in one piece with the body. It is
 * not documented: a test compares what comes over the wire with what `writeHead` makes of the same.
 */
interface OpenResponse extends ServerResponse {
  _header: string | null;
}

const SECOND_MS = 1000;

/**
 * Writes an answer whose names and values are all our own. `writeHead` looks at every character of
 * them and builds the head anew each time, which took a twentieth of a validation.
 */
export function createAnswerWriter(
  keepAliveMs: number,
): (response: ServerResponse, answer: Answer, now: number) => void {
  let second = Number.NaN;
  let endOfHead = '';

  return (response, { status, headers, body, encoding = 'utf8' }, now) => {
    // Whoever does not keep the connection, or speaks HTTP/1.0, is answered the ordinary way.
    if (!response.shouldKeepAlive || response.req.httpVersionMinor !== 1) {
      response.writeHead(status, headers as string[]);
      response.end(body, encoding);
      return;
    }
    const current = Math.floor(now / SECOND_MS);
    if (current !== second) {
      second = current;
      endOfHead =
        `Date: ${new Date(now).toUTCString()}\r\n` +
        `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / SECOND_MS}\r\n\r\n`;
    }
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
    response.statusCode = status;
    (response as OpenResponse)._header = head + endOfHead;
    response.end(body, encoding);
  };
}
