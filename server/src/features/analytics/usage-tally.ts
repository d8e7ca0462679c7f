import type { Storage } from '../../storage/index.ts';
import { writeUsage } from './usage-store.ts';

/** The part of a key in memory that the tally writes to. */
export interface UsedKey {
  readonly seq: number;
  firstUsedAt: number | null;
  usedAt: number;
  /** In the list of the next flush already. */
  dirty: boolean;
}

export interface UsedAccessKey {
  readonly seq: number;
  usedAt: number;
  dirty: boolean;
}

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
  readonly #onError: (error: unknown) => void;
  #keys: UsedKey[] = [];
  #accessKeys: UsedAccessKey[] = [];
  #flushing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  flushes = 0;
  failures = 0;

  constructor(parts: { storage: Storage; onError: (error: unknown) => void }) {
    this.#storage = parts.storage;
    this.#onError = parts.onError;
  }

  keyUsed(key: UsedKey, now: number): void {
    key.usedAt = now;
    if (key.dirty) return;
    key.dirty = true;
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
      await writeUsage(this.#storage, keys, accessKeys);
      this.flushes++;
      for (const key of keys) key.firstUsedAt ??= key.usedAt;
    } catch (error) {
      this.failures++;
      this.#onError(error);
      for (const key of keys) this.keyUsed(key, key.usedAt);
      for (const key of accessKeys) this.accessKeyUsed(key, key.usedAt);
    }
  }
}
