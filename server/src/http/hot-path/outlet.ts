import type { ServerResponse } from 'node:http';
import { rateLimitLines } from '../../features/rate-limits/index.ts';
import { acceptanceAnswer, type Verdict } from '../../features/validation/index.ts';
import type { Answer } from '../../kernel/route.ts';
import { whenDone } from '../when-done.ts';
import type { AnswerTexts } from './answer-text.ts';

export type Acceptance = Extract<Verdict, { kind: 'valid' }>;

/** Where the answer to a validation goes. */
export interface Outlet {
  accept(acceptance: Acceptance, now: number): void;
  send(answer: Answer, now: number): void;
  /** Closes the connection: the answer could not be sent. */
  abort(): void;
}

/** To a request that Node has read. */
export class ResponseOutlet implements Outlet {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  accept(acceptance: Acceptance, now: number): void {
    this.send(acceptanceAnswer(acceptance, now));
  }

  send({ status, headers, body, encoding = 'utf8', onDone }: Answer): void {
    if (onDone) whenDone(this.#response, onDone);
    this.#response.writeHead(status, headers as string[]);
    this.#response.end(body, encoding);
  }

  abort(): void {
    this.#response.destroy();
  }
}

type WriteOn = (text: string, encoding: 'latin1' | 'utf8', onDone?: () => void) => void;

/** As text, to whoever writes it on. */
export class TextOutlet implements Outlet {
  readonly #texts: AnswerTexts;
  readonly #write: WriteOn;
  readonly abort: () => void;

  constructor(texts: AnswerTexts, write: WriteOn, abort: () => void) {
    this.#texts = texts;
    this.#write = write;
    this.abort = abort;
  }

  accept({ key, taken }: Acceptance, now: number): void {
    const lines = taken === null ? '' : rateLimitLines(key.rateLimit, taken, now);
    this.#write(this.#texts.accepting(lines, key, now), key.encoding);
  }

  send(answer: Answer, now: number): void {
    this.#write(this.#texts.of(answer, now), answer.encoding ?? 'utf8', answer.onDone);
  }
}
