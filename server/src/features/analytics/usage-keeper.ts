import type { Clock } from '../../kernel/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { forgetFlushes, type Retention, retentionStep } from './retention.ts';
import { rollUpStep } from './roll-up.ts';
import { SUBJECTS } from './subjects.ts';

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
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #stopped = false;

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
    await this.#running;
  }

  /** Until there is nothing to do. */
  async run(): Promise<void> {
    const now = this.#clock();
    for (const subject of SUBJECTS) {
      while (!this.#stopped && (await rollUpStep(this.#storage, subject, now)));
      while (!this.#stopped && (await retentionStep(this.#storage, subject, this.#retention, now)));
    }
    if (!this.#stopped) await forgetFlushes(this.#storage, now);
  }
}
