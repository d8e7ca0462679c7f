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
 * Writes answers whose names and values are all our own. `writeHead` looks at every character of
 * them and builds the head anew each time.
 */
export class AnswerWriter {
  readonly #keepAliveSeconds: number;
  #second = Number.NaN;
  #accepted = '';
  #lines = '';

  constructor(keepAliveMs: number) {
    this.#keepAliveSeconds = keepAliveMs / SECOND_MS;
  }

  write(response: ServerResponse, answer: Answer, now: number): void {
    const { status, headers, body, encoding = 'utf8' } = answer;
    if (!isOrdinary(response)) {
      response.writeHead(status, headers as string[]);
      response.end(body, encoding);
      return;
    }
    this.#tell(now);
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
    send(response, status, `${head + this.#lines}\r\n`, body, encoding);
  }

  /**
   * An acceptance, whose last lines and body are written already, behind `lines` of its own. False
   * where the caller is one that the ordinary way must answer.
   */
  accept(
    response: ServerResponse,
    lines: string,
    { written, encoding }: { written: string; encoding: 'latin1' | 'utf8' },
    now: number,
  ): boolean {
    if (!isOrdinary(response)) return false;
    this.#tell(now);
    send(response, 200, this.#accepted + lines, written, encoding);
    return true;
  }

  /** The same for all answers of a second. */
  #tell(now: number): void {
    const second = Math.floor(now / SECOND_MS);
    if (second === this.#second) return;
    this.#second = second;
    const date = new Date(now).toUTCString();
    this.#lines = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${this.#keepAliveSeconds}\r\n`;
    this.#accepted = `HTTP/1.1 200 OK\r\n${this.#lines}`;
  }
}

/** Whoever does not keep the connection, or speaks HTTP/1.0, is answered the documented way. */
const isOrdinary = (response: ServerResponse): boolean =>
  response.shouldKeepAlive && response.req.httpVersionMinor === 1;

function send(
  response: ServerResponse,
  status: number,
  head: string,
  body: string,
  encoding: 'latin1' | 'utf8',
): void {
  response.statusCode = status;
  (response as OpenResponse)._header = head;
  response.end(body, encoding);
}
