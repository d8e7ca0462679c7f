import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  Transaction,
} from 'kysely';
import { statements } from '../kernel/tracing.ts';
import type { Database } from './schema/index.ts';
import type { Tx } from './storage.ts';

export type RunStatement = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/** Lets Kysely use any function that runs one statement. */
class StatementConnection implements DatabaseConnection {
  readonly #run: RunStatement;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = statements.hasSubscribers
      ? statements.tracePromise(this.#run, { sql: query.sql }, undefined, query)
      : this.#run(query);
    return (await result) as QueryResult<R>;
  }

  streamQuery(): never {
    throw new Error('Streaming is not supported: it would block a reader. Read lists in pages.');
  }
}

/** The engines begin transactions themselves; Kysely never does. */
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

/**
 * Transactions that send each statement to `run` immediately. Kysely's own `transaction()` waits for
 * the result of each query before it sends the next, and cannot share commits.
 */
export function transactionsOf(dialect: Dialect): (run: RunStatement) => Tx {
  const compiler = new Kysely<Database>({ dialect }).getExecutor();
  const driver = dialect.createDriver();
  return (run) => {
    const connection = new StatementConnection(run);
    const executor = compiler.withConnectionProvider({
      provideConnection: (consumer) => consumer(connection),
    });
    return new Transaction<Database>({ config: { dialect }, dialect, driver, executor });
  };
}

/** One statement with many rows of parameters, in the form that Kysely passes to `run`. */
export class ManyQuery {
  readonly query: CompiledQuery['query'];
  readonly queryId: CompiledQuery['queryId'];
  readonly sql: string;
  readonly parameters: readonly unknown[] = [];
  readonly rows: readonly (readonly unknown[])[];

  constructor(statement: CompiledQuery, rows: readonly (readonly unknown[])[]) {
    this.query = statement.query;
    this.queryId = statement.queryId;
    this.sql = statement.sql;
    this.rows = rows;
  }
}
