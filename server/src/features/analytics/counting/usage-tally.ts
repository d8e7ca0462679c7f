import { amountOf, type Cost, CREDITS, isFree } from '@keyward/rules/cost.ts';
import type { KeyOutcome, Outcome } from '@keyward/rules/outcomes.ts';
import { randomToken } from '../../../kernel/secrets/crypto.ts';
import { NO_REFUSALS, RefusalSampler } from '../refusals/sampler.ts';
import { floorTo, MINUTE_MS } from '../usage-kinds.ts';
import { KEYS_PER_BATCH, OpenCounts } from './open-counts.ts';
import { partOfUse, unitsOf } from './part-counts.ts';
import { type ClosedBatch, type Crossing, closeBatch, type WriteUsage } from './usage-batch.ts';
import type { UsedAccessKey, UsedKey } from './usage-counters.ts';

const FLUSH_EVERY_MS = 250;

/** While this many batches wait, because the database is slow or unreachable, a full batch is not closed. */
const BATCHES_WAITING_MAX = 64;

/** Crossed thresholds kept until the next flush; more are dropped. */
export const CROSSINGS_MAX = 10_000;

/** What a validation used. */
export interface CountedUse {
  readonly cost: Cost;
  /** What the request was about; null: not said. */
  readonly resource: string | null;
}

const ONE_REQUEST: CountedUse = { cost: 1, resource: null };

/**
 * Counts validations by outcome. A validation costs an increment in memory; the counts are written
 * four times a second.
 *
 * A batch is closed when its minute ends, when it is full and at each flush, so every count falls in
 * the minute of its validation. Closed batches are written in order, each under its number; a batch
 * that fails stays first in the queue and is retried unchanged. So nothing is counted twice, and a
 * stop loses nothing if the database can be written. A crash loses at most what was counted since the
 * last successful flush began.
 */
export class UsageTally {
  readonly #writeUsage: WriteUsage;
  readonly #onError: (error: unknown) => void;
  /** Random, so that id and number identify a batch for ever. */
  readonly #id = randomToken();
  readonly #open = new OpenCounts();
  /** Refused validations, written with the counts. */
  readonly refusalSampler = new RefusalSampler();
  #accessKeys: UsedAccessKey[] = [];
  #crossings: Crossing[] = [];
  #minuteStart = 0;
  #minuteEnd = 0;
  #batches = 0;
  #isFailing = false;
  readonly #waiting: ClosedBatch[] = [];
  #flushing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  flushes = 0;
  failures = 0;

  constructor(parts: {
    write: WriteUsage;
    onError: (error: unknown) => void;
  }) {
    this.#writeUsage = parts.write;
    this.#onError = parts.onError;
  }

  /** Counts a validation of a key that the access key may see. The cost counts only if the outcome is `valid`. */
  count(
    outcome: KeyOutcome,
    key: UsedKey,
    accessKey: UsedAccessKey,
    now: number,
    use: CountedUse = ONE_REQUEST,
  ): void {
    this.#countOnAccessKey(outcome, accessKey, now);
    const cost = amountOf(use.cost, CREDITS);
    const part = partOfUse(key.resources, use.resource, unitsOf(use.cost));
    const isUse = !isFree(use.cost);
    this.#open.count(key, outcome, now - this.#minuteStart, 1, cost, part, isUse);
    if (cost !== 1 && outcome === 'valid') accessKey.countExtraCost(cost - 1);
  }

  /** Counts a validation of a value that is not a key, or not one that the access key may see. */
  countMiss(outcome: Outcome, accessKey: UsedAccessKey, now: number): void {
    this.#countOnAccessKey(outcome, accessKey, now);
  }

  #countOnAccessKey(outcome: Outcome, accessKey: UsedAccessKey, now: number): void {
    if (now >= this.#minuteEnd || now < this.#minuteStart) this.#turnMinute(now);
    else if (this.#open.size >= KEYS_PER_BATCH) this.#closeFullBatch();
    this.accessKeyUsed(accessKey, now);
    accessKey.countUse(outcome);
  }

  accessKeyUsed(key: UsedAccessKey, now: number): void {
    key.usedAt = now;
    if (key.dirty) return;
    key.dirty = true;
    this.#accessKeys.push(key);
  }

  /** Adds a crossing to the next flush. While writes fail, at most CROSSINGS_MAX more are kept. */
  addCrossing(crossing: Crossing): void {
    if (this.#crossings.length < CROSSINGS_MAX) this.#crossings.push(crossing);
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), FLUSH_EVERY_MS).unref();
  }

  /** Writes everything that was counted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    if (this.#waiting.length > 0) await this.flush();
  }

  /** Writes everything counted before the call. What fails is kept and retried. */
  async flush(): Promise<void> {
    await this.#flushing;
    this.#flushing ??= this.#flushOnce().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  /** One flush at a time: with a slow database, flushes become larger instead of queueing. */
  #tick(): void {
    if (this.#flushing === null) void this.flush();
  }

  async #flushOnce(): Promise<void> {
    // While writes fail, a flush closes no batch: open counts need memory once per key, closed batches once per
    // key and flush.
    const wasFailing = this.#isFailing;
    if (!wasFailing) this.#closeBatch();
    if (!(await this.#writeWaiting()) || !wasFailing) return;
    this.#closeBatch();
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

  async #write({ batch, firstUsed }: ClosedBatch): Promise<boolean> {
    try {
      await this.#writeUsage(this.#id, batch);
      this.flushes++;
      firstUsed.forEach((key, n) => {
        key.firstUsedAt ??= batch.firstUses[n]!.usedAt;
      });
      return true;
    } catch (error) {
      this.failures++;
      this.#onError(error);
      return false;
    }
  }

  #turnMinute(now: number): void {
    this.#closeBatch();
    this.#minuteStart = floorTo(now, MINUTE_MS);
    this.#minuteEnd = this.#minuteStart + MINUTE_MS;
  }

  #closeFullBatch(): void {
    if (this.#waiting.length < BATCHES_WAITING_MAX) this.#closeBatch();
  }

  #closeBatch(): void {
    const accessKeys = this.#accessKeys;
    // While writes fail, crossings and samples are not moved into batches, where their number is not limited.
    const crossings = this.#isFailing ? [] : this.#crossings;
    if (this.#open.size + accessKeys.length + crossings.length === 0) return;
    this.#accessKeys = [];
    if (!this.#isFailing) this.#crossings = [];
    const [first, ...more] = this.#open.take(this.#minuteStart);
    const refusals = this.#isFailing ? NO_REFUSALS : this.refusalSampler.take();
    this.#waiting.push(
      closeBatch(++this.#batches, this.#minuteStart, first, accessKeys, refusals, crossings),
    );
    for (const counts of more)
      this.#waiting.push(closeBatch(++this.#batches, this.#minuteStart, counts, []));
  }
}
