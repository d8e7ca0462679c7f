import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { isUniqueViolation, type Storage } from '../../storage/index.ts';
import type { HashLink } from './chain.ts';
import { sealSome } from './seal-store.ts';

const EVERY_MS = 500;

/** Rows are hashed on the main thread: 250 rows block it for 2 ms. */
const ROWS_PER_STEP = 250;

/**
 * Adds audit rows to the hash chain after the transaction that wrote them. Inside the transaction, the
 * chain would serialize all changes.
 *
 * waiting ──every 500 ms──▶ sealing, step by step ──no rows left──▶ waiting ──stop──▶ stopped
 *
 * No state is kept between steps: each reads the end of the chain. A crash leaves a valid chain and
 * rows for the next step.
 */
export class Sealer {
  readonly #storage: Storage;
  readonly #hashLink: HashLink;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #rowsPerStep: number;
  #timer: NodeJS.Timeout | undefined;
  #sealing: Promise<number> | null = null;

  constructor(parts: {
    storage: Storage;
    secrets: Secrets;
    clock: Clock;
    onError: (error: unknown) => void;
    rowsPerStep?: number;
  }) {
    this.#storage = parts.storage;
    this.#hashLink = parts.secrets.hashAuditLink;
    this.#clock = parts.clock;
    this.#onError = parts.onError;
    this.#rowsPerStep = parts.rowsPerStep ?? ROWS_PER_STEP;
  }

  start(): void {
    this.#timer = setInterval(() => void this.seal().catch(this.#onError), EVERY_MS).unref();
  }

  /** Seals all remaining rows. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    // A run in progress may not have seen the last rows.
    await this.#sealing?.catch(() => {});
    await this.seal().catch(this.#onError);
  }

  /** Seals all rows and returns their number. A call during a run returns the result of that run. */
  seal(): Promise<number> {
    this.#sealing ??= this.#sealAll().finally(() => {
      this.#sealing = null;
    });
    return this.#sealing;
  }

  async #sealAll(): Promise<number> {
    let sealed = 0;
    for (;;) {
      const rows = await this.#step();
      sealed += rows;
      if (rows < this.#rowsPerStep) return sealed;
    }
  }

  async #step(): Promise<number> {
    try {
      return await sealSome(this.#storage, this.#hashLink, this.#clock(), this.#rowsPerStep);
    } catch (error) {
      // Another node sealed the rows first; the rest is sealed in the next run.
      if (isUniqueViolation(error)) return 0;
      throw error;
    }
  }
}
