import { existsSync } from 'node:fs';
import { type CompiledQuery, Kysely } from 'kysely';
import { threadEntry } from '../kernel/files.ts';
import { StorageUnavailable } from './errors.ts';
import { createPrivateFile } from './files/durable-files.ts';
import type { Database, Storage } from './index.ts';
import { type Lane, ReadLanes, type ReadTimeouts } from './reads/read-lanes.ts';
import { Connection, type ConnectionOptions } from './sqlite/connection.ts';
import { type Execute, sqliteDialect, toResult } from './sqlite/dialect.ts';
import { allowingReserve, DiskReserve } from './sqlite/disk-reserve.ts';
import { type Reply, toError, toFailure } from './sqlite/messages.ts';
import { ReaderPool } from './sqlite/reader-pool.ts';
import { ReaderProcess } from './sqlite/reader-process.ts';
import { StorageThread } from './sqlite/thread.ts';
import { transactionsOver } from './sqlite/transactions.ts';
import { WriteQueue, type WriteStats } from './sqlite/write-queue.ts';

export interface SqliteOptions {
  readonly file: string;
  /** Path of the file that reserves disk space; without it, nothing is reserved. */
  readonly reserve?: string;
  readonly busyTimeoutMs?: number;
  /** Default timeout of transactions. */
  readonly transactionTimeoutMs?: number;
  readonly readTimeouts?: ReadTimeouts;
  /** Loses acknowledged writes; only for the negative control of the power-loss test. */
  readonly unsafeSynchronousOff?: boolean;
}

export interface SqliteStorage extends Storage {
  stats(): WriteStats;
}

const WRITER = threadEntry('storage/sqlite/writer-thread.ts');
const READER = threadEntry('storage/sqlite/reader-main.ts');

/** A wait for a lock on the thread that serves requests delays all requests. */
const POINT_BUSY_TIMEOUT_MS_MAX = 100;
/** Two of background work, so that a long report does not hold up deliveries of webhooks. */
const READERS: Readonly<Record<Lane, number>> = { request: 2, background: 2 };
/** How long a query waits before a second reader is started. Somebody waits for a request. */
const GROW_AFTER_MS: Readonly<Record<Lane, number>> = { request: 10, background: 250 };
const PING_TIMEOUT_MS = 2_000;

/**
 * SQLite with a writer thread, reader processes, and a connection on this thread for single rows
 * (docs/decisions/0002-sqlite-threads.md). migrate.ts creates the schema.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStorage> {
  if (options.reserve === undefined) return openWith(options);
  const reserve = await DiskReserve.at(options.reserve);
  // Opening creates the index of the WAL, which needs 32 KB.
  return allowingReserve(reserve, () => openWith(options, reserve));
}

async function openWith(options: SqliteOptions, reserve?: DiskReserve): Promise<SqliteStorage> {
  // SQLite syncs the directory when it creates a journal, but not when it creates the database. So the file
  // is created here, before it is opened: closing our descriptor later would drop the locks of this process.
  if (!existsSync(options.file)) createPrivateFile(options.file);
  const writer = await StorageThread.start(WRITER, connectionOptions(options), 'keyward-writer');
  try {
    const reading = { ...connectionOptions(options), readOnly: true };
    const busyTimeoutMs = Math.min(reading.busyTimeoutMs, POINT_BUSY_TIMEOUT_MS_MAX);
    const connection = new Connection({ ...reading, busyTimeoutMs });
    const pool = (lane: Lane) =>
      new ReaderPool({
        start: () => ReaderProcess.start(READER, reading),
        size: READERS[lane],
        growAfterMs: GROW_AFTER_MS[lane],
      });
    const pools = { request: pool('request'), background: pool('background') };
    return compose(writer, pools, connection, options, reserve);
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function connectionOptions(options: SqliteOptions): ConnectionOptions {
  return {
    file: options.file,
    readOnly: false,
    busyTimeoutMs: options.busyTimeoutMs ?? 5_000,
    cacheKilobytes: 8 << 10,
    unsafeSynchronousOff: options.unsafeSynchronousOff ?? false,
  };
}

function compose(
  writer: StorageThread,
  pools: Readonly<Record<Lane, ReaderPool>>,
  connection: Connection,
  { transactionTimeoutMs, readTimeouts }: SqliteOptions,
  reserve?: DiskReserve,
): SqliteStorage {
  const queue = new WriteQueue(writer, { refusal: () => reserve?.refusal });
  const lanes = new ReadLanes(READERS, readTimeouts);
  let closing: Promise<void> | undefined;

  function queryConnection(sql: string, parameters: readonly unknown[]): Reply {
    if (closing) throw new StorageUnavailable('The database is closed.');
    try {
      return connection.query(sql, parameters);
    } catch (error) {
      throw toError(toFailure(error));
    }
  }
  const executePoint: Execute = async ({ sql, parameters }) => queryConnection(sql, parameters);
  const queryReader = (lane: Lane, stop: AbortSignal, { sql, parameters }: CompiledQuery) =>
    pools[lane].query({ kind: 'query', sql, parameters }, stop);
  const executeRead: Execute = (query) => lanes.run((lane, stop) => queryReader(lane, stop, query));
  const executeInBackground: Execute = (query) =>
    lanes.runInBackground((lane, stop) => queryReader(lane, stop, query));

  // The writer closes last: the last connection checkpoints the WAL and removes it.
  const close = async (): Promise<void> => {
    await Promise.all([queue.close(), lanes.close()]);
    await Promise.all(Object.values(pools).map((pool) => pool.close()));
    connection.close();
    await writer.close();
    reserve?.close();
  };

  return {
    engine: 'sqlite',
    point: new Kysely<Database>({ dialect: sqliteDialect(executePoint) }),
    queryPoint: <Row>({ sql, parameters }: CompiledQuery<Row>) =>
      toResult(queryConnection(sql, parameters)).rows as Row[],
    read: new Kysely<Database>({ dialect: sqliteDialect(executeRead) }),
    background: new Kysely<Database>({ dialect: sqliteDialect(executeInBackground) }),
    readStatus: () => lanes.status,
    endReads: () => lanes.stop(new StorageUnavailable('The database is being closed.')),
    ...(reserve && { disk: reserve }),
    transaction: transactionsOver(queue, transactionTimeoutMs, reserve),
    script: ({ guards, steps }) =>
      queue.run({
        kind: 'script',
        guards: guards.length,
        steps: [...guards, ...steps].map(({ sql, parameters }) => ({ sql, parameters })),
      }),
    lock: async () => {},
    tryLock: async () => true,
    ping: async () => {
      for (const pool of Object.values(pools)) pool.assertUsable();
      await executePoint(SELECT_ONE);
      await withTimeout(writer.request({ kind: 'ping' }));
    },
    blocksExit: () => writer.isBusy,
    close: () => {
      closing ??= close();
      return closing;
    },
    stats: () => ({ ...queue.stats }),
  };
}

const SELECT_ONE = { sql: 'SELECT 1 AS one', parameters: [] } as unknown as CompiledQuery;

async function withTimeout(reply: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(
        new StorageUnavailable(`The writer thread did not respond within ${PING_TIMEOUT_MS} ms.`),
      ),
    PING_TIMEOUT_MS,
  );
  try {
    await Promise.race([reply, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
