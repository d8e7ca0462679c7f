import { randomBytes } from 'node:crypto';
import { StorageFull } from './errors.ts';
import type { Storage } from './index.ts';
import { SPACE_CHECK } from './schema/installation.ts';

/** Large enough that small changes then succeed for a while, instead of failing again immediately. */
const PROBE_BYTES = 1 << 20;
const PROBE_EVERY_MS = 1_000;

/**
 * Tracks whether changes fail because the disk is full:
 *
 *   free ──a change fails with StorageFull──▶ full ──a probe is written──▶ free
 *
 * A successful commit does not prove that there is space, because it may have changed nothing. So
 * `assertFree` writes a probe, at most once a second.
 */
export class SpaceWatch {
  /** The same storage, with its changes watched. */
  readonly storage: Storage;
  readonly #clock: () => number;
  #full: StorageFull | undefined;
  #probing: Promise<void> | undefined;
  #probedAt = 0;

  constructor(storage: Storage, clock: () => number) {
    this.#clock = clock;
    const { script } = storage;
    this.storage = {
      ...storage,
      transaction: (work, options) => this.#watch(storage.transaction(work, options)),
      ...(script !== undefined && { script: (steps) => this.#watch(script(steps)) }),
    };
  }

  /** Rejects with StorageFull while changes fail for lack of space. */
  async assertFree(): Promise<void> {
    const { disk } = this.storage;
    if (disk?.refusal !== undefined) throw disk.refusal;
    if (this.#full === undefined) return;
    const now = this.#clock();
    if (this.#probing === undefined && Math.abs(now - this.#probedAt) >= PROBE_EVERY_MS) {
      this.#probedAt = now;
      this.#probing = this.#probe().finally(() => {
        this.#probing = undefined;
      });
    }
    await this.#probing;
    if (this.#full !== undefined) throw this.#full;
  }

  async #probe(): Promise<void> {
    // Random, so that PostgreSQL cannot compress it.
    const row = { name: SPACE_CHECK, value: randomBytes(PROBE_BYTES / 2).toString('hex') };
    await this.storage.transaction((tx) =>
      tx
        .insertInto('installation')
        .values(row)
        .onConflict((other) => other.column('name').doUpdateSet({ value: row.value }))
        .execute(),
    );
    await this.storage.transaction((tx) =>
      tx.deleteFrom('installation').where('name', '=', SPACE_CHECK).execute(),
    );
    this.#full = undefined;
  }

  async #watch<T>(change: Promise<T>): Promise<T> {
    try {
      return await change;
    } catch (error) {
      if (error instanceof StorageFull) this.#full = error;
      throw error;
    }
  }
}
