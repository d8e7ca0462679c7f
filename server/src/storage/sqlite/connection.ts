import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Reply } from './messages.ts';
import { applyPragmas, type PragmaOptions } from './pragmas.ts';

export interface ConnectionOptions extends PragmaOptions {
  readonly file: string;
}

interface Prepared {
  readonly statement: StatementSync;
  /** Empty for a statement that returns no rows. */
  readonly columns: readonly string[];
  readonly changesSchema: boolean;
}

const STATEMENTS_MAX = 256;
const SCHEMA_CHANGE = /^\s*(create|alter|drop)\b/i;

/** One SQLite connection on the current thread, with a cache of prepared statements. */
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

  query(sql: string, parameters: readonly unknown[]): Reply {
    const { statement, columns, changesSchema } = this.#prepare(sql);
    const values = parameters as readonly SQLInputValue[];
    const reply: Reply =
      columns.length > 0
        ? { columns, rows: statement.all(...values) as unknown as unknown[][] }
        : statement.run(...values);
    // The cached column names may be outdated.
    if (changesSchema) this.#clearPrepared();
    return reply;
  }

  many(sql: string, rows: readonly (readonly unknown[])[]): Reply {
    const { statement } = this.#prepare(sql);
    let changes = 0;
    for (const row of rows) changes += Number(statement.run(...(row as SQLInputValue[])).changes);
    return { changes };
  }

  close(): void {
    this.#clearPrepared();
    this.database.close();
  }

  #prepare(sql: string): Prepared {
    const prepared = this.#prepared.get(sql);
    if (prepared !== undefined && this.#prepared.size < STATEMENTS_MAX / 2) return prepared;
    const used = prepared ?? this.#prepareNew(sql);
    // Evicts the least recently used, so that lists with rare filters do not evict common statements.
    // The order is maintained only when the cache is at least half full.
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

  #clearPrepared(): void {
    this.#prepared.clear();
  }
}
