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
 * Rejects writes by their text. A read-only session would need a setting, which a transaction pooler
 * does not keep, or two more round trips for each query.
 */
export function assertRead({ query, sql }: CompiledQuery): void {
  if (query.kind === 'SelectQueryNode') return;
  if (query.kind === 'RawNode' && READS.test(sql)) return;
  throw new Error('Use storage.transaction() for writes.');
}
