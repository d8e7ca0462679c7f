import type { Storage, Tx } from '../../../src/storage/index.ts';

/** Where a transaction fails: before its nth statement, or after its commit, with a lost response. */
export type FailAt = number | 'after commit' | null;

/** A real database whose transactions fail at `failAt`. */
export class FailingStorage {
  readonly storage: Storage;
  failAt: FailAt = null;
  /** Whether a transaction failed. None fails if all have fewer statements than `failAt`. */
  failed = false;

  constructor(real: Storage) {
    let statements = 0;
    const count = (): void => {
      if (++statements !== this.failAt) return;
      this.failed = true;
      throw new Error('Simulated failure.');
    };

    this.storage = {
      ...real,

      transaction: async (work, options) => {
        statements = 0;
        const result = await real.transaction((tx) => work(counting(tx, count)), options);
        if (this.failAt !== 'after commit') return result;
        this.failed = true;
        throw new Error('Simulated loss of the response to the commit.');
      },
    };
  }
}

const counting = (tx: Tx, count: () => void): Tx =>
  tx.withPlugin({
    transformQuery({ node }) {
      count();
      return node;
    },
    transformResult: async ({ result }) => result,
  }) as Tx;
