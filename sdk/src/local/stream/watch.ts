import { Connection } from './connection.ts';
import type { Freshness } from './freshness.ts';

/** How often a new stream is opened, which compares the clocks again. */
const RENEW_MS = 60_000;
/**
 * A stream that took longer than this to start is replaced sooner, since its times are always too
 * early.
 */
const SLOW_MS = 400;
const RENEW_SLOW_MS = 2_000;
/**
 * If the current stream is this far behind the second one, its node receives no changes, and the second one
 * takes over. More than 3 s, because a stream that started slowly can be that far behind.
 */
const LOST_MS = 5_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export interface WatchParts {
  readonly freshness: Freshness;
  request(signal: AbortSignal, cursor: string | null): Promise<Response>;
  /** Remove this key, or all keys of this project, plan or customer. */
  onChange(id: string): void;
  /** Remove all keys. */
  onReset(): void;
  /** A stream could not be opened; it will be retried. */
  onProblem(problem: unknown): void;
}

/**
 * Keeps a stream of changes open. One stream is current; every minute a second one is opened beside it.
 * The second takes over when no change can be missed between them: immediately if it resumes at the
 * cursor of the first, otherwise once the first is complete up to the start of the second. If the first
 * ends or stays behind before that, the second takes over with an empty cache.
 */
export class Watch {
  readonly #parts: WatchParts;
  #current: Connection | null = null;
  #next: Connection | null = null;
  #cursor: string | null = null;
  #waitMs = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  readonly #started: Promise<void>;
  #onStarted = () => {};

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#started = new Promise((resolve) => {
      this.#onStarted = resolve;
    });
  }

  /** Resolves when the first stream has started. */
  get started(): Promise<void> {
    return this.#started;
  }

  start(): void {
    this.#current = this.#open(this.#cursor);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#current?.close();
    this.#next?.close();
    this.#parts.freshness.invalidate();
  }

  #open(cursor: string | null): Connection {
    const connection = new Connection(cursor, {
      started: (kind, from) => this.#connectionStarted(kind, from),
      changed: (id) => {
        const now = performance.now();
        // A newer server may announce kinds of changes that this version does not know.
        if (id === null) this.#restartAt(now);
        else {
          this.#parts.freshness.recordChange(id, now);
          this.#parts.onChange(id);
        }
      },
      advanced: (from) => this.#advanced(from),
      ended: (from, waitMs, problem) => this.#ended(from, waitMs, problem),
    });
    void connection.open((signal, position) => this.#parts.request(signal, position));
    return connection;
  }

  #connectionStarted(kind: 'reset' | 'resumed', from: Connection): void {
    this.#waitMs = FIRST_WAIT_MS;
    if (from === this.#next) {
      if (kind === 'resumed') this.#takeOver();
      return;
    }
    if (kind === 'reset') this.#restartAt(from.startedAt);
    this.#planRenewal(from);
    this.#onStarted();
  }

  /** Changes before `moment` may be missing. */
  #restartAt(moment: number): void {
    this.#parts.onReset();
    this.#parts.freshness.restart(moment);
  }

  /** The machine slept: cached keys would expire too late, and streams convert times wrongly. */
  #startOver(): void {
    clearTimeout(this.#timer);
    this.#current?.close();
    this.#next?.close();
    this.#next = null;
    this.#cursor = null;
    this.#restartAt(Number.POSITIVE_INFINITY);
    this.start();
  }

  #advanced(from: Connection): void {
    const now = performance.now();
    if (this.#parts.freshness.hasSlept(now)) {
      this.#startOver();
      return;
    }
    if (from === this.#next) {
      const behindMs = from.completeUntil - this.#current!.completeUntil;
      // Only if the second receives changes itself.
      if (from.completeUntil >= from.startedAt && behindMs > LOST_MS) this.#resetTo(from);
      return;
    }
    if (from !== this.#current) return;
    this.#cursor = from.cursor;
    this.#parts.freshness.advance(from.completeUntil, now);
    if (this.#next !== null && from.completeUntil >= this.#next.startedAt) this.#takeOver();
  }

  /** Changes before the start of the second stream may be missing. */
  #resetTo(next: Connection): void {
    this.#restartAt(next.startedAt);
    this.#takeOver();
  }

  #takeOver(): void {
    this.#current?.close();
    this.#current = this.#next;
    this.#next = null;
    if (this.#current === null) return;
    this.#advanced(this.#current);
    this.#planRenewal(this.#current);
  }

  #planRenewal(connection: Connection): void {
    clearTimeout(this.#timer);
    const soon = connection.delayMs > SLOW_MS ? RENEW_SLOW_MS : RENEW_MS;
    // Jitter, so that the clients of a server do not all reconnect at the same time.
    this.#timer = setTimeout(() => this.#renew(), soon * (0.75 + Math.random() / 4));
  }

  #renew(): void {
    this.#next ??= this.#open(this.#current?.cursor ?? null);
  }

  #ended(connection: Connection, waitMs: number | null, problem: unknown): void {
    if (!this.#isClosed && connection.startedAt === Number.POSITIVE_INFINITY) {
      this.#parts.onProblem(problem ?? new Error('The stream ended before its first event.'));
    }
    if (connection === this.#next) {
      this.#next = null;
      if (this.#current !== null) this.#planRenewal(this.#current);
      return;
    }
    if (connection !== this.#current || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#cursor = connection.cursor ?? this.#cursor;
    if (this.#next !== null && Number.isFinite(this.#next.startedAt)) {
      this.#resetTo(this.#next);
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
