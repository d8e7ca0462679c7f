import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { StorageFull } from './errors.ts';
import type { Database } from './schema/index.ts';

export type EngineName = 'sqlite' | 'postgres';

export type Tx = Transaction<Database>;

/**
 * What every engine offers. There are several ways to query, because the embedded database is
 * synchronous and must not block the thread that serves requests: see
 * docs/decisions/0002-sqlite-threads.md.
 */
export interface Storage {
  readonly engine: EngineName;
  /** Single rows found by an index. Never a list, never a write. */
  readonly point: Kysely<Database>;
  /** Runs a compiled query like `point`. Synchronous if the database is in this process. */
  queryPoint<Row>(query: CompiledQuery<Row>): readonly Row[] | Promise<readonly Row[]>;
  /**
   * Lists and aggregates, on SQLite in separate processes. Never a write. In a request (see
   * kernel/request-context.ts), a read has a deadline of 5 s, ends when the client disconnects, and counts
   * for the share of its account; elsewhere it is background work: docs/decisions/0075-bounded-reads.md.
   */
  readonly read: Kysely<Database>;
  /** Like `read`, but never for a request: for work that a request only starts, or shares with others. */
  readonly background: Kysely<Database>;
  readStatus(): Readonly<Record<'request' | 'background', ReadStatus>>;
  /** Rejects all reads that run or wait, and later ones, with StorageUnavailable: the process is about to stop. */
  endReads(): void;
  /**
   * True while a thread is in a statement that cannot be interrupted. `process.exit` would wait for it.
   */
  blocksExit(): boolean;
  /**
   * The only way to write. Resolves when the change is durable; several transactions may share one
   * commit. Await only `tx` inside, because every other writer waits. After a failed statement the
   * transaction can only roll back, on both engines: catch unique violations outside. `work` runs
   * again if PostgreSQL ends the transaction to break a deadlock, so collect results inside it.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs a transaction whose statements are all known in advance. One message to the writer contains all of
   * them, and may contain other transactions. `guards` run first; if one returns a row, nothing is changed
   * and the result is false. Only on SQLite: docs/decisions/0002-sqlite-threads.md.
   */
  readonly script?: RunScript;
  /**
   * Takes a lock that only one transaction in the whole cluster can hold, until that transaction ends. Waits
   * for the lock if needed. On SQLite the single writer has the same effect.
   */
  lock(tx: Tx, name: string): Promise<void>;
  /** Like `lock` without waiting. False: another transaction holds it. */
  tryLock(tx: Tx, name: string): Promise<boolean>;
  /** Missing if the database is embedded. */
  readonly server?: DatabaseServer;
  /** Missing if the database is not embedded, or has no reserve. */
  readonly disk?: Disk;
  /** Rejects if the database does not respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface ReadStatus {
  readonly running: number;
  readonly waiting: number;
  /** The longest wait for a free reader. Reads that wait for others of their own account do not count. */
  readonly oldestWaitMs: number;
  readonly isStarving: boolean;
  /** Since the start. */
  readonly timedOut: number;
  readonly cancelled: number;
  readonly refused: number;
}

/** The connection to a database server. Its values change over time. */
export interface DatabaseServer {
  /** Address of the server that accepts writes, without credentials. */
  readonly host: string;
  readonly isConnected: boolean;
  /** Milliseconds since 1970 when `isConnected` last changed. */
  readonly since: number;
  /** How often the connection was restored. */
  readonly reconnects: number;
  /** How often another server became the primary. */
  readonly failovers: number;
  subscribe(events: ConnectionEvents): void;
}

export interface ConnectionEvents {
  onLost(error: Error): void;
  onRestored(): void;
  /** Another server is the primary. */
  onFailover(from: string, to: string): void;
}

export interface Script {
  readonly guards: readonly CompiledQuery[];
  readonly steps: readonly CompiledQuery[];
}

/** The same storage, for changes that may use the reserve of a full disk; see `TransactionOptions`. */
export function allowedOnFullDisk({ script: _, ...storage }: Storage): Storage {
  return {
    ...storage,
    transaction: (work, options) =>
      storage.transaction(work, { ...options, allowedOnFullDisk: true }),
  };
}

export type RunScript = (script: Script) => Promise<boolean>;

/** The disk of an embedded database. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

export interface Disk {
  /** Set while the reserve of the disk is in use: only changes with `allowedOnFullDisk` are made. */
  readonly refusal: StorageFull | undefined;
  /** What is left of the reserve. */
  readonly reserveBytes: number;
  space(): Promise<DiskSpace>;
}

export interface TransactionOptions {
  /**
   * Takes rights away, such as a revocation, so it may use the reserve of the disk. `work` then runs again. Without an
   * embedded database, it has no effect.
   */
  readonly allowedOnFullDisk?: boolean;
  /** The transaction is rolled back and rejected after this time. Only migrations and moves override the default. */
  readonly timeoutMs?: number;
}
