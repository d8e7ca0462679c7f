import { randomToken } from '../../../kernel/crypto.ts';
import type { KeyOutcome, Outcome } from '../outcomes.ts';
import { floorTo, MINUTE_MS } from '../usage-kinds.ts';
import { KEYS_PER_BATCH, OpenCounts } from './open-counts.ts';
import { type CutBatch, cutBatch, type UsageBatch } from './usage-batch.ts';
import type { UsedAccessKey, UsedKey } from './usage-counters.ts';

/** Writes a batch, once for each number that a tally gave. */
export type WriteUsage = (tallyId: string, batch: UsageBatch) => Promise<void>;

const FLUSH_EVERY_MS = 250;

/** While as many wait, because the database is slow or away, the open batch goes on. */
const BATCHES_WAITING_MAX = 64;

/**
 * Counts how validations end. A validation costs an increment in memory; the database hears of it
 * four times a second.
 *
 * A batch is cut when its minute ends, when it is full and at each flush, so that every count
 * falls in the minute of its validation. It waits → is written under its number → is forgotten;
 * one that fails stays first in line and is tried again as it is. So nothing is counted twice, a
 * stop loses nothing, and a crash at most what was counted since the last flush began.
 */
export class UsageTally {
  readonly #writeUsage: WriteUsage;
  readonly #onError: (error: unknown) => void;
  /** Never used again, so that a number under it names one batch for ever. */
  readonly #id = randomToken();
  readonly #open = new OpenCounts();
  #accessKeys: UsedAccessKey[] = [];
  #minuteStart = 0;
  #minuteEnd = 0;
  #batches = 0;
  #isFailing = false;
  readonly #waiting: CutBatch[] = [];
  #flushing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  flushes = 0;
  failures = 0;

  constructor(parts: { write: WriteUsage; onError: (error: unknown) => void }) {
    this.#writeUsage = parts.write;
    this.#onError = parts.onError;
  }

  /** A validation of a key that the access key may see. */
  count(outcome: KeyOutcome, key: UsedKey, accessKey: UsedAccessKey, now: number): void {
    this.countMiss(outcome, accessKey, now);
    this.#open.count(key, outcome, now - this.#minuteStart);
  }

  /** A validation of what is no key, or none that the access key may see. */
  countMiss(outcome: Outcome, accessKey: UsedAccessKey, now: number): void {
    if (now >= this.#minuteEnd || now < this.#minuteStart) this.#turnMinute(now);
    else if (this.#open.size >= KEYS_PER_BATCH) this.#cutFull();
    this.accessKeyUsed(accessKey, now);
    accessKey.countUse(outcome);
  }

  accessKeyUsed(key: UsedAccessKey, now: number): void {
    key.usedAt = now;
    if (key.dirty) return;
    key.dirty = true;
    this.#accessKeys.push(key);
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), FLUSH_EVERY_MS).unref();
  }

  /** The last flush included: after this nothing is lost. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    if (this.#waiting.length > 0) await this.flush();
  }

  /** Everything counted before the call is written after it, or waits to be tried again. */
  async flush(): Promise<void> {
    await this.#flushing;
    this.#flushing ??= this.#flushOnce().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  /** One at a time: a slow database gets more in each flush later instead of a queue of them. */
  #tick(): void {
    if (this.#flushing === null) void this.flush();
  }

  async #flushOnce(): Promise<void> {
    // While nothing can be written, counts are smallest where they are: a key's are summed up there.
    const wasFailing = this.#isFailing;
    if (!wasFailing) this.#cut();
    if (!(await this.#writeWaiting()) || !wasFailing) return;
    this.#cut();
    await this.#writeWaiting();
  }

  async #writeWaiting(): Promise<boolean> {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      this.#isFailing = !(await this.#write(first));
      if (this.#isFailing) return false;
      this.#waiting.shift();
    }
    return true;
  }

  async #write({ batch, firstUsed }: CutBatch): Promise<boolean> {
    try {
      await this.#writeUsage(this.#id, batch);
      this.flushes++;
      firstUsed.forEach((key, n) => {
        key.firstUsedAt ??= batch.firstUses[n]!.usedSince;
      });
      return true;
    } catch (error) {
      this.failures++;
      this.#onError(error);
      return false;
    }
  }

  #turnMinute(now: number): void {
    this.#cut();
    this.#minuteStart = floorTo(now, MINUTE_MS);
    this.#minuteEnd = this.#minuteStart + MINUTE_MS;
  }

  #cutFull(): void {
    if (this.#waiting.length < BATCHES_WAITING_MAX) this.#cut();
  }

  #cut(): void {
    const accessKeys = this.#accessKeys;
    if (this.#open.size + accessKeys.length === 0) return;
    this.#accessKeys = [];
    const [first, ...more] = this.#open.take(this.#minuteStart);
    this.#waiting.push(cutBatch(++this.#batches, this.#minuteStart, first, accessKeys));
    for (const counts of more)
      this.#waiting.push(cutBatch(++this.#batches, this.#minuteStart, counts, []));
  }
}
