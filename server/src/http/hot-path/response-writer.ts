import type { ServerResponse } from 'node:http';
import type { Verdict } from '../../features/validation/index.ts';
import { limitLines, recordOf } from '../../features/validation/wire/limit-report.ts';
import { acceptanceResponse } from '../../features/validation/wire/responses.ts';
import type { RouteResponse } from '../../kernel/route.ts';
import { NO_SNIFFING } from '../responses/no-sniffing.ts';
import { onResponseEnd } from '../responses/on-response-end.ts';
import type { ResponseText } from './response-text.ts';

export type Acceptance = Extract<Verdict, { kind: 'valid' }>;

/** Sends the response to a validation. */
export interface ResponseWriter {
  accept(acceptance: Acceptance, now: number): void;
  send(response: RouteResponse, now: number): void;
  /** Closes the connection after a response could not be sent. */
  abort(): void;
}

/** For a request that Node's parser has read. */
export class NodeResponseWriter implements ResponseWriter {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  accept(acceptance: Acceptance, now: number): void {
    this.send(acceptanceResponse(acceptance, now));
  }

  send({ status, headers, body, encoding = 'utf8', onDone }: RouteResponse): void {
    if (onDone) onResponseEnd(this.#response, onDone);
    this.#response.writeHead(status, [...headers, ...NO_SNIFFING]);
    this.#response.end(body, encoding);
  }

  abort(): void {
    this.#response.destroy();
  }
}

type WriteText = (text: string, encoding: 'latin1' | 'utf8', onDone?: () => void) => void;

/** For a raw connection: writes the response as one string. */
export class SocketResponseWriter implements ResponseWriter {
  readonly #text: ResponseText;
  readonly #write: WriteText;
  readonly abort: () => void;

  constructor(text: ResponseText, write: WriteText, abort: () => void) {
    this.#text = text;
    this.#write = write;
    this.abort = abort;
  }

  accept(acceptance: Acceptance, now: number): void {
    const record = recordOf(acceptance);
    const lines = limitLines(acceptance, now);
    this.#write(this.#text.formatAccepted(lines, record, now), record.encoding);
  }

  send(response: RouteResponse, now: number): void {
    this.#write(this.#text.format(response, now), response.encoding ?? 'utf8', response.onDone);
  }
}
