import type { CompiledQuery } from 'kysely';
import type { Storage, Tx } from '../../src/storage/index.ts';

/** Where a transaction fails: before its nth statement, or after its commit, unheard. */
export type FailAt = number | 'after commit' | null;

/** A real database whose transactions fail where they are told to. */
export class FailingStorage {
  readonly storage: Storage;
  failAt: FailAt = null;
  /** Whether the failure was met: a transaction may have fewer statements. */
  failed = false;

  constructor(real: Storage) {
    let statements = 0;
    const count = (): void => {
      if (++statements !== this.failAt) return;
      this.failed = true;
      throw new Error('A failure that the test asked for.');
    };
    const { script } = real;
    this.storage = {
      ...real,
      ...(script && {
        script: async (whole) => {
          statements = 0;
          // It is carried out whole or not at all: one point is as good as another.
          for (const _ of whole.steps) count();
          const isDone = await script(whole);
          if (this.failAt !== 'after commit') return isDone;
          this.failed = true;
          throw new Error('The answer to the script is lost.');
        },
      }),
      transaction: async (work, options) => {
        statements = 0;
        const result = await real.transaction((tx) => work(counting(tx, count)), options);
        if (this.failAt !== 'after commit') return result;
        this.failed = true;
        throw new Error('The answer to the commit is lost.');
      },
      async executeMany(tx, statement: CompiledQuery, rows) {
        count();
        await real.executeMany(tx, statement, rows);
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
