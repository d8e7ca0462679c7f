import { type CompiledQuery, Kysely, sql } from 'kysely';
import type { ClientConfig } from 'pg';
import type { Database, Storage } from './index.ts';
import { ManyQuery } from './many-query.ts';
import { postgresAddress } from './postgres/address.ts';
import { assertRead, postgresDialect, toResult } from './postgres/dialect.ts';
import { wasLostAtOnce } from './postgres/errors.ts';
import { LinkWatch } from './postgres/link-watch.ts';
import { readServer } from './postgres/server-facts.ts';
import { Session } from './postgres/session.ts';
import { type Lane, SessionPool } from './postgres/session-pool.ts';
import { POSTGRES_TIMEOUTS, type PostgresTimeouts } from './postgres/timeouts.ts';
import { transactionsOver } from './postgres/transactions.ts';
import type { RunStatement } from './statement-driver.ts';

export interface PostgresOptions {
  readonly url: string;
  /** The URL leads to a transaction pooler: no setting may be left on a session. */
  readonly isPooled?: boolean;
  readonly poolSize?: number;
  /** Tests that share a machine with other work give more time. */
  readonly timeouts?: PostgresTimeouts;
}

export interface PostgresStorage extends Storage {
  stats(): SessionPool['stats'];
}

const POOL_SIZE = 10;

/** Marks our advisory locks among those of others in the same database. */
const LOCK_CLASS = 0x4b57;

/** PostgreSQL as docs/decisions/0014-postgresql.md has it. The schema is the business of migrate.ts. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStorage> {
  const { timeouts = POSTGRES_TIMEOUTS } = options;
  const config = sessionConfig(options, timeouts);
  const watch = new LinkWatch({
    open: () => Session.open(config, timeouts.connect),
    isPooled: options.isPooled ?? false,
    probeMs: timeouts.probe,
    onDead: (reason) => pool.refuseWaiting(reason),
  });
  const pool = new SessionPool(() => Session.open(config, timeouts.connect, watch), {
    size: options.poolSize ?? POOL_SIZE,
    waitMs: timeouts.session,
  });
  try {
    const { synchronousCommit } = await readServer(pool, postgresAddress(options.url).shown);
    return compose(pool, transactionsOver(pool, { synchronousCommit, timeouts }));
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function sessionConfig(
  { url, isPooled = false }: PostgresOptions,
  timeouts: PostgresTimeouts,
): ClientConfig {
  const { config } = postgresAddress(url);
  if (isPooled) return config;
  return {
    ...config,
    statement_timeout: timeouts.statement,
    lock_timeout: timeouts.lock,
    idle_in_transaction_session_timeout: timeouts.transaction,
  };
}

function compose(pool: SessionPool, transaction: Storage['transaction']): PostgresStorage {
  const reading = (lane: Lane): Kysely<Database> =>
    new Kysely<Database>({ dialect: postgresDialect(readsOver(pool, lane)) });
  const point = reading('point');
  let closing: Promise<void> | undefined;
  return {
    engine: 'postgres',
    point,
    statement:
      <Row>(query: CompiledQuery<Row>) =>
      async (parameters) =>
        (await point.executeQuery<Row>({ ...query, parameters })).rows,
    read: reading('read'),
    transaction,
    many: async (tx, statement, rows) => {
      if (rows.length > 0) await tx.executeQuery(new ManyQuery(statement, rows));
    },
    lock: async (tx, name) => {
      await sql`select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext(${name}))`.execute(tx);
    },
    tryLock: async (tx, name) => {
      const { rows } = await sql<{ taken: boolean }>`
        select pg_try_advisory_xact_lock(${LOCK_CLASS}, hashtext(${name})) as taken`.execute(tx);
      return rows[0]?.taken === true;
    },
    ping: async () => {
      await sql`select 1`.execute(point);
    },
    close: () => {
      closing ??= pool.close();
      return closing;
    },
    stats: () => pool.stats,
  };
}

/** A read may be asked again: a session that died while it was idle costs nobody an answer. */
function readsOver(pool: SessionPool, lane: Lane): RunStatement {
  return async (query) => {
    assertRead(query);
    for (let fresh = false; ; fresh = true) {
      const session = await pool.acquire(lane, fresh);
      const mayBeStale = !session.isFresh;
      const began = performance.now();
      try {
        return toResult(await session.query(query.sql, query.parameters));
      } catch (error) {
        if (!mayBeStale || !wasLostAtOnce(error, began)) throw error;
      } finally {
        pool.release(session, lane);
      }
    }
  };
}
