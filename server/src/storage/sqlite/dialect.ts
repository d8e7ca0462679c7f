import {
  type CompiledQuery,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { type RunStatement, StatementDriver } from '../kysely-driver.ts';
import type { Reply } from './messages.ts';

export type Execute = (query: CompiledQuery) => Promise<Reply>;

/** Lets Kysely use any function that runs one statement. */
export function sqliteDialect(execute: Execute): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new StatementDriver(toStatement(execute)),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

export const toStatement =
  (execute: Execute): RunStatement =>
  async (query) =>
    toResult(await execute(query));

export function toResult({ columns, rows, changes, lastInsertRowid }: Reply): QueryResult<unknown> {
  if (columns && rows) return { rows: rows.map((row) => toObject(columns, row)) };
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
