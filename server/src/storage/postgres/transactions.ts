import { setTimeout as pause } from 'node:timers/promises';
import type { CompiledQuery, QueryResult } from 'kysely';
import { StorageUnavailable } from '../errors.ts';
import type { Storage, TransactionOptions, Tx } from '../index.ts';
import { ManyQuery, transactionsOf } from '../kysely-driver.ts';
import { postgresDialect, toResult } from './dialect.ts';
import { isConflict } from './errors.ts';
import type { Session } from './session.ts';
import type { SessionPool } from './session-pool.ts';
import type { PostgresTimeouts } from './timeouts.ts';

const TRIES_MAX = 4;

const transactionOver = transactionsOf(
  postgresDialect(async () => {
    throw new Error('Use storage.transaction() for writes.');
  }),
);

/** A transaction between its begin and its end: runs its statements and remembers the first failure. */
class OpenTransaction {
  readonly #session: Session;
  #over = false;
  #failure: unknown;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Error of the first statement that failed. */
  get failure(): unknown {
    return this.#failure;
  }

  async run(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (this.#over) throw new Error('This transaction is over.');
    this.assertNoFailure();
    try {
      if (!(query instanceof ManyQuery))
        return toResult(await this.#session.query(query.sql, query.parameters));
      await this.#session.many(query.sql, query.rows);
      return { rows: [] };
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  assertNoFailure(): void {
    if (this.#failure !== undefined)
      throw new Error('A statement of this transaction failed, so the transaction is rolled back.');
  }

  end(): void {
    this.#over = true;
  }
}

interface TransactionSettings {
  readonly synchronousCommit: string;
  readonly timeouts: PostgresTimeouts;
}

/** Sets options for the transaction only: behind a pooler, other clients use the same session. */
function beginSql(timeoutMs: number, { synchronousCommit, timeouts }: TransactionSettings): string {
  const isBounded = Number.isFinite(timeoutMs);
  const all = isBounded ? timeoutMs : 0;
  return [
    'begin',
    `set local statement_timeout = ${all}`,
    `set local lock_timeout = ${isBounded ? timeouts.lock : 0}`,
    `set local idle_in_transaction_session_timeout = ${all}`,
    `set local synchronous_commit = ${synchronousCommit}`,
  ].join('; ');
}

export function transactionsOver(
  pool: SessionPool,
  settings: TransactionSettings,
): Storage['transaction'] {
  return async <T>(work: (tx: Tx) => Promise<T>, options: TransactionOptions = {}): Promise<T> => {
    const timeoutMs = options.timeoutMs ?? settings.timeouts.transaction;
    for (let tries = 1; ; tries++) {
      const begin = beginSql(timeoutMs, settings);
      const { session } = await pool.acquireWith('write', (session) => session.query(begin));
      const open = new OpenTransaction(session);
      try {
        return await perform(session, open, work, timeoutMs);
      } catch (error) {
        // PostgreSQL aborted this transaction in favor of another one, which has finished by now.
        if (tries >= TRIES_MAX || !isConflict(open.failure)) throw error;
      } finally {
        pool.release(session, 'write');
      }
      await pause(Math.random() * 20 * tries);
    }
  };
}

async function perform<T>(
  session: Session,
  open: OpenTransaction,
  work: (tx: Tx) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  const cut = Promise.withResolvers<never>();
  cut.promise.catch(() => {});
  const timer = Number.isFinite(timeoutMs)
    ? setTimeout(() => {
        const reason = new StorageUnavailable(
          `A transaction took longer than ${timeoutMs} ms; its connection was closed.`,
        );
        session.end(reason);
        cut.reject(reason);
      }, timeoutMs)
    : undefined;
  try {
    const result = await Promise.race([
      work(transactionOver((query) => open.run(query))),
      cut.promise,
    ]);
    open.assertNoFailure();
    open.end();
    await commit(session);
    return result;
  } catch (error) {
    open.end();
    await session.query('rollback').catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function commit(session: Session): Promise<void> {
  const { command } = await session.query('commit');
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back by PostgreSQL.');
}
