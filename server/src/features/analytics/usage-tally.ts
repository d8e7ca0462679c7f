import type { Clock } from '../../kernel/clock.ts';
import type { Storage, Tx } from '../../storage/index.ts';
import type { Outbox, OutgoingEvent } from '../changes/index.ts';
import { writeUsage } from './usage-store.ts';

/** The part of a key in memory that the tally writes to. */
export interface UsedKey {
  readonly seq: number;
  firstUsedAt: number | null;
  /** First and latest use since the last flush. */
  usedSince: number;
  usedAt: number;
  /** In the list of the next flush already. */
  dirty: boolean;
}

export interface UsedAccessKey {
  readonly seq: number;
  usedAt: number;
  dirty: boolean;
}

/** The events of keys used for the first time, as features/api-keys shows such keys. */
export type DescribeFirstUses = (
  tx: Tx,
  keySeqs: readonly number[],
) => Promise<readonly OutgoingEvent[]>;

const FLUSH_EVERY_MS = 250;

/**
 * Remembers who was used since the last flush. A use costs two writes to an object that the
 * validation holds anyway; the database hears of it four times a second, in one transaction.
 *
 * A key is clean → dirty (first use since the flush) → clean (taken into a flush). A flush that
 * fails puts its keys back, so that nothing but a crash loses a use, and at most one interval.
 */
export class UsageTally {
  readonly #storage: Storage;
  readonly #outbox: Outbox;
  readonly #describe: DescribeFirstUses;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #keys: UsedKey[] = [];
  #accessKeys: UsedAccessKey[] = [];
  #flushing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  flushes = 0;
  failures = 0;

  constructor(parts: {
    storage: Storage;
    outbox: Outbox;
    describe: DescribeFirstUses;
    clock: Clock;
    onError: (error: unknown) => void;
  }) {
    this.#storage = parts.storage;
    this.#outbox = parts.outbox;
    this.#describe = parts.describe;
    this.#clock = parts.clock;
    this.#onError = parts.onError;
  }

  keyUsed(key: UsedKey, now: number): void {
    key.usedAt = now;
    if (key.dirty) return;
    key.dirty = true;
    key.usedSince = now;
    this.#keys.push(key);
  }

  accessKeyUsed(key: UsedAccessKey, now: number): void {
    key.usedAt = now;
    if (key.dirty) return;
    key.dirty = true;
    this.#accessKeys.push(key);
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** The last flush included: after this nothing is lost. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    if (this.#keys.length + this.#accessKeys.length > 0) await this.flush();
  }

  /** One at a time: a slow database gets one larger flush later instead of a queue of them. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushOnce().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  async #flushOnce(): Promise<void> {
    const keys = this.#keys;
    const accessKeys = this.#accessKeys;
    if (keys.length + accessKeys.length === 0) return;
    this.#keys = [];
    this.#accessKeys = [];
    for (const key of keys) key.dirty = false;
    for (const key of accessKeys) key.dirty = false;
    try {
      const woken = await writeUsage(this.#storage, keys, accessKeys, (tx, firsts) =>
        this.#tellFirstUses(tx, firsts),
      );
      this.flushes++;
      for (const key of keys) key.firstUsedAt ??= key.usedSince;
      this.#outbox.wake(woken);
    } catch (error) {
      this.failures++;
      this.#onError(error);
      for (const key of keys) this.#putBack(key);
      for (const key of accessKeys) this.accessKeyUsed(key, key.usedAt);
    }
  }

  #putBack(key: UsedKey): void {
    const { usedSince } = key;
    this.keyUsed(key, key.usedAt);
    key.usedSince = usedSince;
  }

  /** In the transaction that records them: whoever recorded a first use tells of it, once. */
  async #tellFirstUses(tx: Tx, keySeqs: readonly number[]): Promise<readonly string[]> {
    const events = await this.#describe(tx, keySeqs);
    return events.length === 0 ? [] : this.#outbox.write(tx, events, this.#clock());
  }
}
