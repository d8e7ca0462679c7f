import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Database } from './schema.ts';

export { builtOnce, pointQuery } from './built-once.ts';
export { isUniqueViolation, StorageFull, StorageUnavailable } from './errors.ts';
export { type Inserter, inserterOf, insertionOf } from './inserter.ts';
export { lockAll, toChange, toRelyOn, toTake } from './row-locks.ts';
export type { Database } from './schema.ts';

export type EngineName = 'sqlite' | 'postgres';

export type Tx = Transaction<Database>;

/**
 * What every engine offers. Several ways in, because an embedded database that is synchronous must
 * not hold the thread that answers requests: see docs/decisions/0002-sqlite-threads.md.
 */
export interface Storage {
  readonly engine: EngineName;
  /**
   * Single rows found by an index, answered at once. Never a list, but for the next rows that are
   * sealed, and never a write.
   */
  readonly point: Kysely<Database>;
  /**
   * One of those that is asked again and again: built once, and answered without a promise where
   * the database is in this process.
   */
  statement<Row>(query: CompiledQuery<Row>): Statement<Row>;
  /** Lists and aggregates, on threads of their own. Never a write. */
  readonly read: Kysely<Database>;
  /**
   * The only way to write. Resolves when the change is durable; several transactions may share one
   * commit. Await nothing but `tx` inside: every other writer waits. After a statement has failed
   * the transaction can only roll back, on either engine: catch a unique violation outside. `work`
   * is run again when PostgreSQL broke a deadlock by ending it: what it collects begins inside it.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * A transaction that is known whole before it begins, where that saves the wait for each of its
   * statements: it travels in one message, with those of others. `guards` are asked first; when one
   * of them answers with a row, nothing is done and the answer is false.
   */
  readonly script?: RunScript;
  /** One statement with many rows of parameters, in one message: for flushes of thousands of rows. */
  many(tx: Tx, statement: CompiledQuery, rows: readonly (readonly unknown[])[]): Promise<void>;
  /**
   * Held until the transaction ends, by one transaction of all nodes; waits for whoever holds it. On
   * SQLite the one writer is that lock already.
   */
  lock(tx: Tx, name: string): Promise<void>;
  /** The same without waiting. False: another one holds it. */
  tryLock(tx: Tx, name: string): Promise<boolean>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A statement with its values. */
export interface Step {
  readonly statement: CompiledQuery;
  readonly parameters: readonly unknown[];
}

export interface Script {
  readonly guards: readonly Step[];
  readonly steps: readonly Step[];
}

export type RunScript = (script: Script) => Promise<boolean>;

export type Statement<Row> = (
  parameters: readonly unknown[],
) => readonly Row[] | Promise<readonly Row[]>;

export interface TransactionOptions {
  /** After this long the transaction is rolled back and rejected. Only migrations need another. */
  readonly timeoutMs?: number;
}
