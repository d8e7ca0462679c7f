import type { Kysely } from 'kysely';
import type { EngineName } from '../index.ts';
import type { Engine } from './engine.ts';

/** One step of the schema. Never changed after its release; corrections are new migrations. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /**
   * The oldest schema whose code may still run after this migration, by engine. Set if the migration removes
   * or restricts something. Also set if it adds something with which older code would fail, or which older
   * code would ignore, such as new limits of keys. If it is not set, all code that worked before still works.
   */
  readonly compatibleFrom?: Readonly<Partial<Record<EngineName, number>>>;
  /** The same for a database that is new: no older code uses it. */
  readonly newIsCompatibleFrom?: number;
  up(db: Kysely<unknown>, engine: Engine): Promise<void>;
}

/** Creates an index, named after its table and columns. */
export async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
