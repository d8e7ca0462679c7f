import { Connection } from './connection.ts';
import type { Knowledge } from './knowledge.ts';

/** A new stream this often, on which the clocks are compared anew. */
const RENEW_MS = 60_000;
/** Sooner, when it took so long to begin that what it says is always late. */
const SLOW_MS = 400;
const RENEW_SLOW_MS = 2_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export interface WatchParts {
  readonly knowledge: Knowledge;
  request(signal: AbortSignal, cursor: string | null): Promise<Response>;
  /** Forget this key, or all keys of this project. */
  onChange(id: string): void;
  /** Forget everything. */
  onReset(): void;
  /** A stream could not be opened; it is tried again. */
  onProblem(problem: unknown): void;
}

/**
 * Keeps hearing of changes. One stream is believed; a second one is opened beside it every minute
 * and takes over when nothing can have fallen between them: at once when it goes on where the first
 * one is, else when the first has told everything from before the second began.
 */
export class Watch {
  readonly #parts: WatchParts;
  #current: Connection | null = null;
  #next: Connection | null = null;
  #cursor: string | null = null;
  #waitMs = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  readonly #begun: Promise<void>;
  #onBegun = () => {};

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#begun = new Promise((resolve) => {
      this.#onBegun = resolve;
    });
  }

  /** Resolves when changes are heard of for the first time. */
  get begun(): Promise<void> {
    return this.#begun;
  }

  start(): void {
    this.#current = this.#open(this.#cursor);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#current?.close();
    this.#next?.close();
    this.#parts.knowledge.lose();
  }

  #open(cursor: string | null): Connection {
    const connection = new Connection(cursor, {
      began: (kind, from) => this.#began(kind, from),
      changed: (id) => {
        this.#parts.knowledge.tell(id, performance.now());
        this.#parts.onChange(id);
      },
      heard: (from) => this.#heard(from),
      ended: (from, waitMs, problem) => this.#ended(from, waitMs, problem),
    });
    void connection.open((signal, position) => this.#parts.request(signal, position));
    return connection;
  }

  #began(kind: 'reset' | 'resumed', from: Connection): void {
    this.#waitMs = FIRST_WAIT_MS;
    if (from === this.#next) {
      if (kind === 'resumed') this.#takeOver();
      return;
    }
    if (kind === 'reset') this.#beginAnew(from);
    this.#planRenewal(from);
    this.#onBegun();
  }

  #beginAnew(from: Connection): void {
    this.#parts.onReset();
    this.#parts.knowledge.begin(from.startedAt);
  }

  #heard(from: Connection): void {
    if (from !== this.#current) return;
    this.#cursor = from.cursor;
    this.#parts.knowledge.statement(from.heard, performance.now());
    if (this.#next !== null && from.heard >= this.#next.startedAt) this.#takeOver();
  }

  #takeOver(): void {
    this.#current?.close();
    this.#current = this.#next;
    this.#next = null;
    if (this.#current === null) return;
    this.#heard(this.#current);
    this.#planRenewal(this.#current);
  }

  #planRenewal(connection: Connection): void {
    clearTimeout(this.#timer);
    const soon = connection.delayMs > SLOW_MS ? RENEW_SLOW_MS : RENEW_MS;
    // Not all clients of a server at the same time.
    this.#timer = setTimeout(() => this.#renew(), soon * (0.75 + Math.random() / 4));
  }

  #renew(): void {
    this.#next ??= this.#open(this.#current?.cursor ?? null);
  }

  #ended(connection: Connection, waitMs: number | null, problem: unknown): void {
    if (!this.#isClosed && connection.startedAt === Number.POSITIVE_INFINITY) {
      this.#parts.onProblem(problem ?? new Error('The stream ended before it began.'));
    }
    if (connection === this.#next) {
      this.#next = null;
      if (this.#current !== null) this.#planRenewal(this.#current);
      return;
    }
    if (connection !== this.#current || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#cursor = connection.cursor ?? this.#cursor;
    // A second one that has begun goes on; what it cannot vouch for is forgotten.
    if (this.#next !== null && Number.isFinite(this.#next.startedAt)) {
      this.#beginAnew(this.#next);
      this.#takeOver();
      return;
    }
    this.#next?.close();
    this.#next = null;
    this.#current = null;
    const backoff = Math.random() * this.#waitMs;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs * 2);
    this.#timer = setTimeout(() => this.start(), Math.max(backoff, waitMs ?? 0));
  }
}
