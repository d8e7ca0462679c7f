import type { RenderedKey } from '../../features/validation/index.ts';
import { bodyLines } from '../../features/validation/wire/body-headers.ts';
import { STATUS_CODES } from '../../kernel/node-http.ts';
import type { RouteResponse } from '../../kernel/route.ts';
import { NO_SNIFFING_LINE } from '../responses/no-sniffing.ts';

const SECOND_MS = 1000;

/**
 * Formats a response as one string, for a connection that stays open. Header names and values are our
 * own, so they need no checks; a test compares the result with Node's.
 */
export class ResponseText {
  readonly #keepAliveSeconds: number;
  #second = Number.NaN;
  #accepted = '';
  #lines = '';

  constructor(keepAliveMs: number) {
    this.#keepAliveSeconds = keepAliveMs / SECOND_MS;
  }

  format({ status, headers, body }: RouteResponse, now: number): string {
    this.#update(now);
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
    return `${head + this.#lines}\r\n${body}`;
  }

  /** Formats a successful validation. `lines` are the headers of the rate limits. */
  formatAccepted(
    lines: string,
    { body, bodyBytes }: Pick<RenderedKey, 'body' | 'bodyBytes'>,
    now: number,
  ): string {
    this.#update(now);
    return `${this.#accepted + lines + bodyLines(bodyBytes)}\r\n${body}`;
  }

  /** Updates the headers that are equal for all responses of a second. */
  #update(now: number): void {
    const second = Math.floor(now / SECOND_MS);
    if (second === this.#second) return;
    this.#second = second;
    const date = new Date(now).toUTCString();
    this.#lines = `${NO_SNIFFING_LINE}Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${this.#keepAliveSeconds}\r\n`;
    this.#accepted = `HTTP/1.1 200 OK\r\n${this.#lines}`;
  }
}
