import { failureOf, readResponse } from '../../http/api-response.ts';
import { EventParser, type StreamEvent } from './event-parser.ts';

/** Maximum drift between two monotonic clocks: twice the slewing rate of one. */
const DRIFT = 1 / 1_000;
/** The connection is closed after this long without data. */
const SILENCE_MS = 3_000;

export interface ConnectionEvents {
  /** The first event was received, at `connection.startedAt`. */
  started(kind: 'reset' | 'resumed', connection: Connection): void;
  /** `id`: null if this version does not know what changed. */
  changed(id: string | null): void;
  /** `connection.completeUntil` has advanced. */
  advanced(connection: Connection): void;
  /**
   * `waitMs`: how long to wait before the next attempt; null if the server did not refuse the stream.
   * `problem`: why the stream ended; null if the server closed it.
   */
  ended(connection: Connection, waitMs: number | null, problem: unknown): void;
}

/**
 * One stream of changes: requested → started → closed. Times of the server are converted to our clock. A
 * converted time is never too late, because the server read its clock after we had sent the request.
 */
export class Connection {
  readonly #events: ConnectionEvents;
  readonly #abort = new AbortController();
  #requestedAt = 0;
  #serverStart: number | null = null;
  #silenceTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  cursor: string | null;
  startedAt = Number.POSITIVE_INFINITY;
  /** All changes before this time have been received on this stream. */
  completeUntil = Number.NEGATIVE_INFINITY;

  constructor(cursor: string | null, events: ConnectionEvents) {
    this.cursor = cursor;
    this.#events = events;
  }

  /** How long the stream took to start. Every converted time is too early by at most this much. */
  get delayMs(): number {
    return this.startedAt - this.#requestedAt;
  }

  async open(request: (signal: AbortSignal, cursor: string | null) => Promise<Response>) {
    let waitMs: number | null = null;
    let problem: unknown = null;
    try {
      this.#restartSilenceTimer();
      this.#requestedAt = performance.now();
      const response = await request(this.#abort.signal, this.cursor);
      if (response.ok && response.body) await this.#read(response.body);
      else {
        const refusal = failureOf(await readResponse(response), Date.now());
        problem = refusal;
        waitMs = (refusal?.retryAfterSeconds ?? 1) * 1_000;
      }
    } catch (error) {
      problem = error;
    }
    this.#end(waitMs, problem);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#silenceTimer);
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#isClosed) return;
      this.#restartSilenceTimer();
      for (const event of parser.push(decoder.decode(value, { stream: true }))) this.#handle(event);
    }
  }

  #handle({ event, data, id }: StreamEvent): void {
    if (this.#isClosed) return;
    if (event === 'change') {
      const { keyId, planId, customer, projectId } = data;
      const id = keyId ?? planId ?? customer ?? projectId;
      this.#events.changed(typeof id === 'string' ? id : null);
    }
    // Set only now, when every change up to the cursor has been handled.
    if (id !== null) this.cursor = id;
    if (event === 'reset' || event === 'resumed') {
      this.#serverStart = Number(data.now);
      this.startedAt = performance.now();
      this.#events.started(event, this);
    }
    if (this.#serverStart === null || typeof data.at !== 'number') return;
    const converted = this.#requestedAt + (data.at - this.#serverStart) * (1 - DRIFT);
    // It can be in the future only if our clock stood still while the machine slept.
    const moment = Math.min(converted, performance.now());
    if (!(moment > this.completeUntil)) return;
    this.completeUntil = moment;
    this.#events.advanced(this);
  }

  #restartSilenceTimer(): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(
      () => this.#abort.abort(new Error('No data was received for 3 seconds.')),
      SILENCE_MS,
    );
  }

  #end(waitMs: number | null, problem: unknown): void {
    const wasClosed = this.#isClosed;
    this.close();
    if (!wasClosed) this.#events.ended(this, waitMs, problem);
  }
}
