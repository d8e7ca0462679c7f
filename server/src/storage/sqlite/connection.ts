import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Answer } from './messages.ts';
import { applyPragmas, type PragmaOptions } from './pragmas.ts';

export interface ConnectionOptions extends PragmaOptions {
  readonly file: string;
  readonly readOnly: boolean;
}

interface Prepared {
  readonly statement: StatementSync;
  /** Empty for a statement that answers with no rows. */
  readonly columns: readonly string[];
  readonly changesSchema: boolean;
}

const STATEMENTS_MAX = 256;
const SCHEMA_CHANGE = /^\s*(create|alter|drop)\b/i;

/** One SQLite connection on the thread that made it, with its statements kept prepared. */
export class Connection {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(options: ConnectionOptions) {
    this.database = new DatabaseSync(options.file, {
      readOnly: options.readOnly,
      returnArrays: true,
      timeout: options.busyTimeoutMs,
    });
    try {
      applyPragmas(this.database, options);
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  query(sql: string, parameters: readonly unknown[]): Answer {
    const { statement, columns, changesSchema } = this.#prepare(sql);
    const values = parameters as readonly SQLInputValue[];
    const answer: Answer =
      columns.length > 0
        ? { columns, rows: statement.all(...values) as unknown as unknown[][] }
        : statement.run(...values);
    // The column names kept with the statements may no longer be true.
    if (changesSchema) this.#forget();
    return answer;
  }

  many(sql: string, rows: readonly (readonly unknown[])[]): Answer {
    const { statement } = this.#prepare(sql);
    let changes = 0;
    for (const row of rows) changes += Number(statement.run(...(row as SQLInputValue[])).changes);
    return { changes };
  }

  close(): void {
    this.#forget();
    this.database.close();
  }

  #prepare(sql: string): Prepared {
    const prepared = this.#prepared.get(sql);
    if (prepared !== undefined && this.#prepared.size < STATEMENTS_MAX / 2) return prepared;
    const used = prepared ?? this.#prepareNew(sql);
    // Least recently used first, so that lists with rare filters do not push out the daily ones; the
    // order is kept as soon as one may have to go.
    this.#prepared.delete(sql);
    this.#prepared.set(sql, used);
    return used;
  }

  #prepareNew(sql: string): Prepared {
    const [oldest] = this.#prepared.size < STATEMENTS_MAX ? [] : this.#prepared.keys();
    if (oldest !== undefined) this.#prepared.delete(oldest);
    const statement = this.database.prepare(sql);
    const columns = statement.columns().map((column) => column.name);
    return { statement, columns, changesSchema: SCHEMA_CHANGE.test(sql) };
  }

  #forget(): void {
    this.#prepared.clear();
  }
}
