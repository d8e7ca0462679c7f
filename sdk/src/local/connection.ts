import { failureOf, readAnswer } from '../http/answer.ts';
import { EventParser, type StreamEvent } from './event-parser.ts';

/** Two monotonic clocks may run apart by this much: twice what slewing does to one. */
const DRIFT = 1 / 1_000;
/** A server that says nothing for so long is given up. */
const SILENCE_MS = 3_000;

export interface ConnectionEvents {
  /** The first event. `startedAt`: when it was read. */
  began(kind: 'reset' | 'resumed', connection: Connection): void;
  changed(id: string): void;
  /** `connection.heard` has moved. */
  heard(connection: Connection): void;
  /** `problem`: why it ended; null when the server closed it. */
  ended(connection: Connection, waitMs: number | null, problem: unknown): void;
}

/**
 * One stream of changes: asked for → begun → over. The moments that the server tells are put on our
 * clock so that they are never too late: the server was at its first moment after we had asked.
 */
export class Connection {
  readonly #events: ConnectionEvents;
  readonly #abort = new AbortController();
  #asked = 0;
  #serverStart: number | null = null;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  cursor: string | null;
  startedAt = Number.POSITIVE_INFINITY;
  /** Everything changed before this moment has been told here. */
  heard = Number.NEGATIVE_INFINITY;

  constructor(cursor: string | null, events: ConnectionEvents) {
    this.cursor = cursor;
    this.#events = events;
  }

  /** How long it took to begin: what every moment is too early by. */
  get delayMs(): number {
    return this.startedAt - this.#asked;
  }

  async open(request: (signal: AbortSignal, cursor: string | null) => Promise<Response>) {
    let waitMs: number | null = null;
    let problem: unknown = null;
    try {
      this.#listen();
      this.#asked = performance.now();
      const response = await request(this.#abort.signal, this.cursor);
      if (response.ok && response.body) await this.#read(response.body);
      else {
        const refusal = failureOf(await readAnswer(response), Date.now());
        problem = refusal;
        waitMs = (refusal?.retryAfterSeconds ?? 1) * 1_000;
      }
    } catch (error) {
      problem = error;
    }
    this.#end(waitMs, problem);
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#silence);
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#isOver) return;
      this.#listen();
      for (const event of parser.push(decoder.decode(value, { stream: true }))) this.#take(event);
    }
  }

  #take({ event, data, id }: StreamEvent): void {
    if (this.#isOver) return;
    if (event === 'change') this.#events.changed(String(data.keyId ?? data.projectId));
    // After the change is heeded: what is behind the cursor is done.
    if (id !== null) this.cursor = id;
    if (event === 'reset' || event === 'resumed') {
      this.#serverStart = Number(data.now);
      this.startedAt = performance.now();
      this.#events.began(event, this);
    }
    if (this.#serverStart === null || typeof data.at !== 'number') return;
    const moment = this.#asked + (data.at - this.#serverStart) * (1 - DRIFT);
    if (!(moment > this.heard)) return;
    this.heard = moment;
    this.#events.heard(this);
  }

  #listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#abort.abort(new Error('Nothing was received for 3 seconds.')),
      SILENCE_MS,
    );
  }

  #end(waitMs: number | null, problem: unknown): void {
    const wasOver = this.#isOver;
    this.close();
    if (!wasOver) this.#events.ended(this, waitMs, problem);
  }
}
