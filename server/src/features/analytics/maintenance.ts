import type { Clock } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import {
  deleteOldFlushes,
  quarterHoursKeptFrom,
  type Retention,
  retentionStep,
} from './buckets/retention.ts';
import { rollUpStep } from './buckets/roll-up.ts';
import { deleteOldReporters } from './counting/reporters.ts';
import { UsageJournal } from './journal/journal.ts';
import { RefusalRetention } from './refusals/retention.ts';
import { USAGE_KINDS } from './usage-kinds.ts';

const EVERY_MS = 10_000;

interface UsageMaintenanceParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly retention: Retention;
  readonly onError: (error: unknown) => void;
}

/**
 * Folds the journal, rolls counts up and deletes old ones in the background. Each step is a short
 * transaction, so that other writers run in between. Idle → running (timer) → idle (nothing left to
 * do, stopped, or an error, after which the next run tries again).
 */
export class UsageMaintenance {
  readonly #parts: UsageMaintenanceParts;
  readonly #journal: UsageJournal;
  readonly #refusals: RefusalRetention;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #stopped = false;
  #folding: Promise<void> | null = null;
  /** The fold that begins when the current one ends. */
  #nextFold: Promise<void> | null = null;

  constructor(parts: UsageMaintenanceParts) {
    this.#parts = parts;
    this.#journal = new UsageJournal(parts.storage);
    this.#refusals = new RefusalRetention(parts.storage);
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.run()
        .catch(this.#parts.onError)
        .finally(() => {
          this.#running = null;
        });
    }, EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped = true;
    await Promise.allSettled([this.#running, this.#folding, this.#nextFold]);
  }

  /** The first hour whose counts are kept. The counts of earlier hours may be deleted. */
  hoursKeptFrom(now: number): number {
    return quarterHoursKeptFrom(this.#parts.retention, now);
  }

  /**
   * Folds all batches that are in the journal now, so that their counts can be read. Batches that arrive
   * during a fold are left for the next fold; otherwise a busy server would never finish. All calls that
   * are made during a fold share the next one.
   */
  foldJournal(): Promise<void> {
    if (this.#folding !== null) {
      this.#nextFold ??= this.#folding
        .catch(() => {})
        .then(() => {
          this.#nextFold = null;
          return this.foldJournal();
        });
      return this.#nextFold;
    }
    this.#folding = this.#foldAll().finally(() => {
      this.#folding = null;
    });
    return this.#folding;
  }

  async #foldAll(): Promise<void> {
    const lastId = await this.#journal.lastId();
    while (!this.#stopped && (await this.#journal.step(lastId)));
  }

  /** Runs until there is nothing left to do. */
  async run(): Promise<void> {
    const { storage, clock, retention } = this.#parts;
    const now = clock();
    if (await this.#journal.isDue(now)) await this.foldJournal();
    for (const kind of USAGE_KINDS) {
      while (!this.#stopped && (await rollUpStep(storage, kind, now)));
      while (!this.#stopped && (await retentionStep(storage, kind, retention, now)));
    }
    if (!this.#stopped) await deleteOldFlushes(storage, now);
    if (!this.#stopped) await deleteOldReporters(storage, now);
    await this.#refusals.run(now, () => this.#stopped);
  }
}
