import type { Clock } from '../../kernel/clock.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import { type EngineName, isUniqueViolation, type Storage } from '../../storage/index.ts';
import { type SealStep, sealStepOf } from './seal-store.ts';

const EVERY_MS = 500;

/**
 * A step costs as much as sealing a hundred rows, whatever it seals; but on PostgreSQL rows are hashed
 * on the thread that answers requests, which these hold for two milliseconds.
 */
const ROWS_A_STEP: Record<EngineName, number> = { sqlite: 1_000, postgres: 250 };

/**
 * Chains the rows of the audit log by hash, beside the changes that write them: a chain inside
 * their transactions would put every change in one queue.
 *
 * waiting ──every 500 ms──▶ sealing, step by step ──nothing is left──▶ waiting ──stop──▶ ended
 *
 * Nothing is kept between two steps: each reads where the chain ends, so that a crash anywhere
 * leaves a whole chain and rows that the next step takes.
 */
export class Sealer {
  readonly #sealSome: SealStep;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #rowsAStep: number;
  #timer: NodeJS.Timeout | undefined;
  #sealing: Promise<number> | null = null;

  constructor(parts: {
    storage: Storage;
    secrets: Secrets;
    clock: Clock;
    onError: (error: unknown) => void;
    rowsAStep?: number;
  }) {
    this.#sealSome = sealStepOf(parts.storage, parts.secrets);
    this.#clock = parts.clock;
    this.#onError = parts.onError;
    this.#rowsAStep = parts.rowsAStep ?? ROWS_A_STEP[parts.storage.engine];
  }

  start(): void {
    this.#timer = setInterval(() => void this.seal().catch(this.#onError), EVERY_MS).unref();
  }

  /** The last rows included: after this none is unsealed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    // One that was under way may have looked before the last row was there.
    await this.#sealing?.catch(() => {});
    await this.seal().catch(this.#onError);
  }

  /** Everything that is there, one run at a time. Answers how many rows it sealed. */
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
      if (rows < this.#rowsAStep) return sealed;
    }
  }

  async #step(): Promise<number> {
    try {
      return await this.#sealSome(this.#clock(), this.#rowsAStep);
    } catch (error) {
      // Another node was quicker: what is left waits for the next turn.
      if (isUniqueViolation(error)) return 0;
      throw error;
    }
  }
}
