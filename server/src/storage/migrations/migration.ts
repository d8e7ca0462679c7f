import type { Kysely } from 'kysely';
import type { EngineName } from '../index.ts';
import type { Engine } from './engine.ts';

/** One step of the schema. Never changed once released; a correction is the next step. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /**
   * The oldest schema whose code still works after this step, by engine; only for a step that takes
   * something away or narrows it there. Without it, every code that worked before goes on working.
   */
  readonly compatibleFrom?: Readonly<Partial<Record<EngineName, number>>>;
  up(db: Kysely<unknown>, engine: Engine): Promise<void>;
}

/** Named after what it serves. */
export async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
