import { type CompiledQuery, Kysely, sql } from 'kysely';
import type { ClientConfig } from 'pg';
import { StorageUnavailable } from './errors.ts';
import type { Database, DatabaseServer, Storage } from './index.ts';
import type { RunStatement } from './kysely-driver.ts';
import { postgresAddress } from './postgres/address.ts';
import { checkServer } from './postgres/check-server.ts';
import { ConnectionState } from './postgres/connection-state.ts';
import { ConnectionWatch } from './postgres/connection-watch.ts';
import { assertRead, postgresDialect, toResult } from './postgres/dialect.ts';
import { Primary } from './postgres/primary.ts';
import { readsOver } from './postgres/reads.ts';
import { Session } from './postgres/session.ts';
import { SessionPool } from './postgres/session-pool.ts';
import { POSTGRES_TIMEOUTS, type PostgresTimeouts } from './postgres/timeouts.ts';
import { transactionsOver } from './postgres/transactions.ts';
import { ReadLanes, type ReadTimeouts } from './reads/read-lanes.ts';

export { Primary };

export interface PostgresOptions {
  /** May contain several servers; the one that accepts writes is used. */
  readonly url: string;
  /**
   * Address of the servers themselves, set only if `url` is a transaction pooler. Sessions of a pooler must
   * not keep settings.
   */
  readonly directUrl?: string;
  readonly poolSize?: number;
  /** Longer in tests, which may run on a busy machine. */
  readonly timeouts?: PostgresTimeouts;
}

export interface PostgresStorage extends Storage {
  /** The primary itself, even behind a pooler. */
  readonly primary: Primary;
  readonly server: DatabaseServer;
  stats(): SessionPool['stats'];
}

const POOL_SIZE = 10;

/** Separates our advisory locks from those of other applications in the same database. */
const LOCK_CLASS = 0x4b57;

/** PostgreSQL (docs/decisions/0014-postgresql.md). migrate.ts creates the schema. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStorage> {
  const { url, directUrl, timeouts = POSTGRES_TIMEOUTS } = options;
  const { configs, shown } = postgresAddress(url);
  const isPooled = directUrl !== undefined;
  const settings = sessionSettings(isPooled, timeouts);
  const entry = new Primary(configs, timeouts.connect);
  const primary = isPooled
    ? new Primary(postgresAddress(directUrl).configs, timeouts.connect)
    : entry;
  const state = new ConnectionState(primary);
  const open = (watching?: ConnectionWatch) =>
    state.watch(() =>
      entry.connect((server) =>
        Session.open({ ...server, ...settings }, timeouts.connect, watching),
      ),
    );
  const watch = new ConnectionWatch({
    open: () => open(),
    isPooled,
    probeMs: timeouts.probe,
    onDead: (reason) => pool.rejectWaiters(reason),
    onResult: (sentAt, error) => state.record(sentAt, error),
  });
  const pool = new SessionPool(() => open(watch), {
    size: options.poolSize ?? POOL_SIZE,
    waitMs: timeouts.session,
  });
  entry.onMoved(() => pool.replaceSessions());
  try {
    const { synchronousCommit } = await checkServer(pool, shown);
    const transaction = transactionsOver(pool, { synchronousCommit, timeouts });
    return compose(pool, { primary, server: state, transaction }, timeouts.read);
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function sessionSettings(isPooled: boolean, timeouts: PostgresTimeouts): ClientConfig {
  if (isPooled) return {};
  return {
    statement_timeout: timeouts.statement,
    lock_timeout: timeouts.lock,
    idle_in_transaction_session_timeout: timeouts.transaction,
  };
}

/** Background work has a connection of its own, if there are enough. */
const readSlots = (all: number) => ({ request: Math.max(1, all - 1), background: 1 });

function compose(
  pool: SessionPool,
  parts: Pick<PostgresStorage, 'primary' | 'server' | 'transaction'>,
  readTimeouts: ReadTimeouts,
): PostgresStorage {
  const queries = (run: RunStatement) => new Kysely<Database>({ dialect: postgresDialect(run) });
  const point = queries(async (query) => {
    assertRead(query);
    const { sql, parameters } = query;
    const first = (session: Session) => session.query(sql, parameters);
    const { session, result } = await pool.acquireWith('point', first);
    pool.release(session, 'point');
    return toResult(result);
  });
  const lanes = new ReadLanes(readSlots(pool.readsMax), readTimeouts);
  let closing: Promise<void> | undefined;
  return {
    engine: 'postgres',
    ...parts,
    point,
    queryPoint: async <Row>(query: CompiledQuery<Row>) =>
      (await point.executeQuery<Row>(query)).rows,
    read: queries(readsOver(pool, lanes, 'run')),
    background: queries(readsOver(pool, lanes, 'runInBackground')),
    readStatus: () => lanes.status,
    endReads: () => lanes.stop(new StorageUnavailable('The database is being closed.')),
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
    blocksExit: () => false,
    close: () => {
      closing ??= pool.close(lanes.close());
      return closing;
    },
    stats: () => pool.stats,
  };
}
