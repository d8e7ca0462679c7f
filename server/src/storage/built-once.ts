import type { CompiledQuery, Kysely } from 'kysely';
import type { Database } from './schema.ts';

/**
 * A query of the daily way that is built at its first use: to build it each time takes longer than
 * to run it. `build` gives the values their places; what they are comes with each call, in the order
 * of the places. Of one database: engines write their places differently.
 */
export function builtOnce<Row>(
  build: (db: Kysely<Database>) => CompiledQuery<Row>,
): (db: Kysely<Database>, parameters: readonly unknown[]) => Promise<readonly Row[]> {
  let query: CompiledQuery<Row> | undefined;
  return async (db, parameters) => {
    query ??= build(db);
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
