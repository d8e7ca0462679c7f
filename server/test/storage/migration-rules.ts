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

/** Every statement of a migration, by what it says to an engine, in the words of PostgreSQL. */
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
 * Statements that could stop code which does not know of them: those that take away, rename, narrow
 * or rewrite. What a migration does to tables that it makes itself is nobody else's business yet.
 */
export function narrowing(statements: readonly string[]): string[] {
  const made = new Set(statements.flatMap((text) => CREATED.exec(text)?.[1] ?? []));
  return statements.filter((text) => {
    const table = OWN_TABLE.exec(text)?.[1];
    return !(table !== undefined && made.has(table)) && !isExpanding(text);
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
