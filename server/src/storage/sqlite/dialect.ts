import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Answer } from './wire.ts';

export type Execute = (query: CompiledQuery) => Promise<Answer>;

/** Kysely over anything that runs one statement. Transactions are begun in sqlite.ts only. */
export function sqliteDialect(execute: Execute): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new StatementDriver(new StatementConnection(execute)),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

export class StatementConnection implements DatabaseConnection {
  readonly #execute: Execute;

  constructor(execute: Execute) {
    this.#execute = execute;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return toResult<R>(await this.#execute(query));
  }

  streamQuery(): never {
    throw new Error('Read lists in keyset pages; streams would hold a reader for as long.');
  }
}

class StatementDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Use storage.transaction().');
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

function toResult<R>({ columns, rows, changes, lastInsertRowid }: Answer): QueryResult<R> {
  if (columns && rows) return { rows: rows.map((row) => toObject(columns, row) as R) };
  return {
    rows: [],
    ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
    ...(lastInsertRowid !== undefined && { insertId: BigInt(lastInsertRowid) }),
  };
}

function toObject(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) object[columns[i]!] = row[i];
  return object;
}
