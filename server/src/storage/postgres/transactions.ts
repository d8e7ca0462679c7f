import { setTimeout as pause } from 'node:timers/promises';
import type { CompiledQuery, QueryResult } from 'kysely';
import { StorageUnavailable } from '../errors.ts';
import type { Storage, TransactionOptions, Tx } from '../index.ts';
import { ManyQuery, transactionsOf } from '../kysely-driver.ts';
import { postgresDialect, toResult } from './dialect.ts';
import { isConflict, wasLostAtOnce } from './errors.ts';
import type { Session } from './session.ts';
import type { SessionPool } from './session-pool.ts';
import type { PostgresTimeouts } from './timeouts.ts';

const TRIES_MAX = 4;

const transactionOver = transactionsOf(
  postgresDialect(async () => {
    throw new Error('Writes happen in storage.transaction().');
  }),
);

/** Between its begin and its end: what was asked in it, and whether all of that succeeded. */
class OpenTransaction {
  readonly #session: Session;
  #over = false;
  #failure: unknown;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The first statement that failed. */
  get failure(): unknown {
    return this.#failure;
  }

  async run(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (this.#over) throw new Error('This transaction is over.');
    this.assertWhole();
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

  assertWhole(): void {
    if (this.#failure !== undefined)
      throw new Error('A statement of this transaction failed: it is rolled back.');
  }

  end(): void {
    this.#over = true;
  }
}

interface TransactionSettings {
  readonly synchronousCommit: string;
  readonly timeouts: PostgresTimeouts;
}

/** Settings of the transaction alone: behind a pooler the session belongs to others too. */
function beginning(
  timeoutMs: number,
  { synchronousCommit, timeouts }: TransactionSettings,
): string {
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
      const session = await begun(pool, beginning(timeoutMs, settings));
      const open = new OpenTransaction(session);
      try {
        return await perform(session, open, work, timeoutMs);
      } catch (error) {
        // Broken off by PostgreSQL in favour of another one, which has what it wanted by now.
        if (tries >= TRIES_MAX || !isConflict(open.failure)) throw error;
      } finally {
        pool.release(session, 'write');
      }
      await pause(Math.random() * 20 * tries);
    }
  };
}

/** A session that was idle may turn out to be dead: then nothing has happened yet, and a new one will do. */
async function begun(pool: SessionPool, begin: string): Promise<Session> {
  for (let fresh = false; ; fresh = true) {
    const session = await pool.acquire('write', fresh);
    const mayBeStale = !session.isFresh;
    const began = performance.now();
    try {
      await session.query(begin);
      return session;
    } catch (error) {
      pool.release(session, 'write');
      if (fresh || !mayBeStale || !wasLostAtOnce(error, began)) throw error;
    }
  }
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
          `A transaction took longer than ${timeoutMs} ms and was rolled back.`,
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
    open.assertWhole();
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
