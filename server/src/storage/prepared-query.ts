import type { CompiledQuery, Kysely } from 'kysely';
import { Placeholder, parametersOf } from './placeholder.ts';
import type { Database } from './schema/index.ts';
import type { Storage } from './storage.ts';

/**
 * A point query that is compiled once per database and run with named parameters. Used for lookups that a
 * validation waits for: compiling takes longer than the lookup (figures: docs/decisions/0035-hot-path.md).
 * Every other query is built where it is used.
 */
export function preparedQuery<Name extends string, Row>(
  names: readonly Name[],
  build: (db: Kysely<Database>, parameters: Record<Name, string>) => CompiledQuery<Row>,
): (storage: Storage, values: Record<Name, string>) => readonly Row[] | Promise<readonly Row[]> {
  const compiled = new WeakMap<Storage, CompiledQuery<Row>>();
  const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
  return (storage, values) => {
    let query = compiled.get(storage);
    if (query === undefined) {
      query = build(storage.point, placeholders as unknown as Record<Name, string>);
      compiled.set(storage, query);
    }
    return storage.queryPoint({ ...query, parameters: parametersOf(query, values) });
  };
}
