import type { Clock } from '../../kernel/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { forgetFlushes, type Retention, retentionStep } from './buckets/retention.ts';
import { rollUpStep } from './buckets/roll-up.ts';
import { forgetReporters } from './counting/reporters.ts';
import { UsageJournal } from './journal/journal.ts';
import { SUBJECTS } from './usage-kinds.ts';

const EVERY_MS = 10_000;

/**
 * Sums up and drops in the background, step by step: each is a short transaction, and between two
 * of them every other writer has its turn. Idle → running (a timer) → idle (nothing to do, stopped,
 * or an error that the next run meets again).
 */
export class UsageKeeper {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #retention: Retention;
  readonly #onError: (error: unknown) => void;
  readonly #journal: UsageJournal;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #stopped = false;
  #settling: Promise<void> | null = null;
  /** Begins when the one that is under way ends. */
  #settlingNext: Promise<void> | null = null;

  constructor(parts: {
    storage: Storage;
    clock: Clock;
    retention: Retention;
    onError: (error: unknown) => void;
  }) {
    this.#storage = parts.storage;
    this.#clock = parts.clock;
    this.#retention = parts.retention;
    this.#onError = parts.onError;
    this.#journal = new UsageJournal(parts.storage);
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.run()
        .catch(this.#onError)
        .finally(() => {
          this.#running = null;
        });
    }, EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped = true;
    await Promise.allSettled([this.#running, this.#settling, this.#settlingNext]);
  }

  /**
   * Adds all that is journalled by now to the minutes of its keys, so that they can be read. What
   * comes while it is at work waits for the next time, or a busy server would never be done; who
   * asks meanwhile shares that next time with others.
   */
  settle(): Promise<void> {
    if (this.#settling !== null) {
      this.#settlingNext ??= this.#settling
        .catch(() => {})
        .then(() => {
          this.#settlingNext = null;
          return this.settle();
        });
      return this.#settlingNext;
    }
    this.#settling = this.#foldJournal().finally(() => {
      this.#settling = null;
    });
    return this.#settling;
  }

  async #foldJournal(): Promise<void> {
    const lastId = await this.#journal.lastId();
    while (!this.#stopped && (await this.#journal.step(lastId)));
  }

  /** Until there is nothing to do. */
  async run(): Promise<void> {
    const now = this.#clock();
    if (await this.#journal.isDue(now)) await this.settle();
    for (const subject of SUBJECTS) {
      while (!this.#stopped && (await rollUpStep(this.#storage, subject, now)));
      while (!this.#stopped && (await retentionStep(this.#storage, subject, this.#retention, now)));
    }
    if (!this.#stopped) await forgetFlushes(this.#storage, now);
    if (!this.#stopped) await forgetReporters(this.#storage, now);
  }
}
