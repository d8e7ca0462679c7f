import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { EngineName } from '../../src/storage/index.ts';
import { engineOf } from '../../src/storage/migrations/engine.ts';
import type { Migration } from '../../src/storage/migrations/migration.ts';

/** The statements of a migration for an engine, compiled for PostgreSQL. */
export async function statementsOf(migration: Migration, engine: EngineName): Promise<string[]> {
  const statements: string[] = [];
  class Recording extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return {
        executeQuery: async <R>({ sql }: CompiledQuery): Promise<QueryResult<R>> => {
          statements.push(sql.replace(/\s+/g, ' ').trim());
          return { rows: [] };
        },
        async *streamQuery() {},
      };
    }
  }
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Recording(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  await migration.up(db, engineOf(engine));
  return statements;
}

const CREATED = /^create table (?:if not exists )?"?(\w+)"?/i;
const OWN_TABLE = /^(?:alter table|create (?:unique )?index "?\w+"? on) "?(\w+)"?/i;

/**
 * Statements that could break older code: those that remove, rename, narrow or rewrite. Statements on
 * tables that the migration itself creates do not count, since older code does not use them.
 */
export function narrowing(statements: readonly string[]): string[] {
  const created = new Set(statements.flatMap((text) => CREATED.exec(text)?.[1] ?? []));
  return statements.filter((text) => {
    const table = OWN_TABLE.exec(text)?.[1];
    return !(table !== undefined && created.has(table)) && !isExpanding(text);
  });
}

function isExpanding(text: string): boolean {
  if (/^alter table "?\w+"? add column /i.test(text))
    return !/\b(not null)\b(?!.*\bdefault\b)|\bunique\b|\bcheck\b|, (drop|alter|rename)/i.test(
      text.replace(/\bdefault\b.*\bnot null\b/i, 'default'),
    );
  return /^(create table|create index|create (or replace )?function|create trigger|insert into|select) /i.test(
    text,
  );
}
