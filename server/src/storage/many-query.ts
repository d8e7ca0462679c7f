import type { CompiledQuery } from 'kysely';

/** A statement for many rows, on its way through Kysely like any other. */
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
