import { existsSync } from 'node:fs';
import { type CompiledQuery, Kysely } from 'kysely';
import { threadEntry } from '../kernel/files.ts';
import { createPrivateFile } from './durable-files.ts';
import { StorageUnavailable } from './errors.ts';
import type { Database, Storage } from './index.ts';
import { ManyQuery } from './many-query.ts';
import { Connection, type ConnectionOptions } from './sqlite/connection.ts';
import { type Execute, sqliteDialect, toResult } from './sqlite/dialect.ts';
import { ReaderPool } from './sqlite/reader-pool.ts';
import { StorageThread } from './sqlite/thread.ts';
import { transactionsOver } from './sqlite/transactions.ts';
import { type Answer, toError, toFailure } from './sqlite/wire.ts';
import { WriteQueue, type WriteStats } from './sqlite/write-queue.ts';

export interface SqliteOptions {
  readonly file: string;
  readonly busyTimeoutMs?: number;
  /** Of a transaction that says nothing else. */
  readonly transactionTimeoutMs?: number;
  /** For the negative control of the power-loss test, and nothing else: loses acknowledged writes. */
  readonly unsafeSynchronousOff?: boolean;
}

export interface SqliteStorage extends Storage {
  stats(): WriteStats;
}

const WRITER = threadEntry('storage/sqlite/writer-thread.ts');
const READER = threadEntry('storage/sqlite/reader-thread.ts');

/** A wait on the thread that answers requests holds everybody. */
const POINT_BUSY_TIMEOUT_MS_MAX = 100;
const READERS_MAX = 2;
const PING_TIMEOUT_MS = 2_000;

/**
 * SQLite as docs/decisions/0002-sqlite-threads.md has it: one writer thread, a few reader threads,
 * and a connection here for single rows. The schema is the business of migrate.ts.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStorage> {
  // SQLite syncs the directory when it makes a journal, but not when it makes the database itself.
  // Before it is opened, since closing our descriptor later would drop the locks of this process.
  if (!existsSync(options.file)) createPrivateFile(options.file);
  const writer = await StorageThread.start(WRITER, connectionOptions(options), 'keyward-writer');
  let readers: ReaderPool | undefined;
  try {
    const reading = { ...connectionOptions(options), readOnly: true };
    readers = await ReaderPool.open({
      threadsMax: READERS_MAX,
      startThread: () => StorageThread.start(READER, reading, 'keyward-reader'),
    });
    const busyTimeoutMs = Math.min(reading.busyTimeoutMs, POINT_BUSY_TIMEOUT_MS_MAX);
    const connection = new Connection({ ...reading, busyTimeoutMs });
    return compose(writer, readers, connection, options.transactionTimeoutMs);
  } catch (error) {
    await readers?.close();
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
  pool: ReaderPool,
  connection: Connection,
  transactionTimeoutMs?: number,
): SqliteStorage {
  const queue = new WriteQueue(writer);
  let closing: Promise<void> | undefined;

  function queryPoint(sql: string, parameters: readonly unknown[]): Answer {
    if (closing) throw new StorageUnavailable('The database is closed.');
    try {
      return connection.query(sql, parameters);
    } catch (error) {
      throw toError(toFailure(error));
    }
  }
  const executePoint: Execute = async ({ sql, parameters }) => queryPoint(sql, parameters);
  const executeRead: Execute = ({ sql, parameters }) =>
    pool.query({ kind: 'query', sql, parameters });

  // The writer goes last: as the last one out it brings the WAL home and removes it.
  const close = async (): Promise<void> => {
    await Promise.all([queue.close(), pool.close()]);
    connection.close();
    await writer.close();
  };

  return {
    engine: 'sqlite',
    point: new Kysely<Database>({ dialect: sqliteDialect(executePoint) }),
    statement:
      <Row>({ sql }: CompiledQuery<Row>) =>
      (parameters) =>
        toResult(queryPoint(sql, parameters)).rows as Row[],
    read: new Kysely<Database>({ dialect: sqliteDialect(executeRead) }),
    transaction: transactionsOver(queue, transactionTimeoutMs),
    script: ({ guards, steps }) =>
      queue.run({
        kind: 'script',
        guards: guards.length,
        steps: [...guards, ...steps].map(({ statement: { sql }, parameters }) => ({
          sql,
          parameters,
        })),
      }),
    many: async (tx, statement, rows) => {
      if (rows.length > 0) await tx.executeQuery(new ManyQuery(statement, rows));
    },
    lock: async () => {},
    tryLock: async () => true,
    ping: async () => {
      await executePoint(SELECT_ONE);
      await inTime(writer.ask({ kind: 'ping' }));
    },
    close: () => {
      closing ??= close();
      return closing;
    },
    stats: () => ({ ...queue.stats }),
  };
}

const SELECT_ONE = { sql: 'SELECT 1 AS one', parameters: [] } as unknown as CompiledQuery;

async function inTime(answer: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new StorageUnavailable(`The writer is silent for ${PING_TIMEOUT_MS} ms.`)),
    PING_TIMEOUT_MS,
  );
  try {
    await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
