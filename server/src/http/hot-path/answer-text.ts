import { STATUS_CODES } from 'node:http';
import type { PreparedKey } from '../../features/validation/index.ts';
import type { Answer } from '../../kernel/route.ts';

const SECOND_MS = 1000;

/**
 * Whole answers as one text, for a connection that is kept. All names and values are our own, so
 * that nothing has to be looked at; a test compares with what Node makes of the same.
 */
export class AnswerTexts {
  readonly #keepAliveSeconds: number;
  #second = Number.NaN;
  #accepted = '';
  #lines = '';

  constructor(keepAliveMs: number) {
    this.#keepAliveSeconds = keepAliveMs / SECOND_MS;
  }

  of({ status, headers, body }: Answer, now: number): string {
    this.#tell(now);
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
    return `${head + this.#lines}\r\n${body}`;
  }

  /** An acceptance: all of it is written already but for `lines` about a limit. */
  accepting(lines: string, key: Pick<PreparedKey, 'bodyLines' | 'body'>, now: number): string {
    this.#tell(now);
    return `${this.#accepted + lines + key.bodyLines}\r\n${key.body}`;
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
