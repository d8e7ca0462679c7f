import {
  type CompiledQuery,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { QueryResult as PgResult } from 'pg';
import { type RunStatement, StatementDriver } from '../kysely-driver.ts';

export function postgresDialect(run: RunStatement): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new StatementDriver(run),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

export function toResult({ command, rowCount, rows }: PgResult): QueryResult<unknown> {
  return CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}

const READS = /^[\s(]*(select|with|values)\b/i;

/**
 * A session that only reads would have to be told so: a setting, which does not hold behind a
 * transaction pooler, or two more journeys for each query. So we look at the statement ourselves.
 */
export function assertRead({ query, sql }: CompiledQuery): void {
  if (query.kind === 'SelectQueryNode') return;
  if (query.kind === 'RawNode' && READS.test(sql)) return;
  throw new Error('Writes happen in storage.transaction().');
}
