import type { CompiledQuery, Kysely } from 'kysely';
import type { Statement, Storage } from './index.ts';
import type { Database } from './schema.ts';

/*
 * Queries of the daily way are built at their first use: to build one takes longer than to run it.
 * `build` gives the values their places; what they are comes with each call, in the same order.
 */

type Build<Row> = (db: Kysely<Database>) => CompiledQuery<Row>;

/** Of a transaction, or of readers. Of one database: engines write their places differently. */
export function builtOnce<Row>(
  build: Build<Row>,
): (db: Kysely<Database>, parameters: readonly unknown[]) => Promise<readonly Row[]> {
  let query: CompiledQuery<Row> | undefined;
  return async (db, parameters) => {
    query ??= build(db);
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** Of single rows, for every database that it is asked of. */
export function pointQuery<Row>(
  build: Build<Row>,
): (storage: Storage, ...parameters: unknown[]) => ReturnType<Statement<Row>> {
  const statements = new WeakMap<Storage, Statement<Row>>();
  return (storage, ...parameters) => {
    let statement = statements.get(storage);
    if (statement === undefined) {
      statement = storage.statement(build(storage.point));
      statements.set(storage, statement);
    }
    return statement(parameters);
  };
}
