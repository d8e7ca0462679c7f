import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';

export type RunStatement = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/** Kysely's view of anything that runs one statement. */
export class StatementConnection implements DatabaseConnection {
  readonly #run: RunStatement;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return (await this.#run(query)) as QueryResult<R>;
  }

  streamQuery(): never {
    throw new Error('Read lists in keyset pages; streams would hold a reader for as long.');
  }
}

/** Transactions are begun by the engines themselves, never by Kysely. */
export class StatementDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(run: RunStatement) {
    this.#connection = new StatementConnection(run);
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
