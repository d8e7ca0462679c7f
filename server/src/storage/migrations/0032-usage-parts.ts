import { type Kysely, sql } from 'kysely';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

/** Usage by resource and by unit, of projects that declare resources or units. */
export const usageParts: Migration = {
  version: 32,
  name: 'usage by resource and by unit',
  async up(db, engine) {
    await db.schema.alterTable('projects').addColumn('resources', 'text').execute();
    await parts(db, engine);
    await counts(db, engine, 'resource', KEY_COLUMNS);
    await counts(db, engine, 'unit', ['amount']);
  },
};

const KEY_COLUMNS = [
  ...['valid', 'rate_limited', 'revoked', 'expired', 'domain_denied', 'not_started', 'ip_denied'],
  ...['permission_denied', 'credits_exhausted', 'extra_cost'],
];

async function parts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('usage_parts')
    .addColumn('seq', ...engine.sequence)
    .addColumn('project_id', engine.id, (c) => c.notNull().references('projects.id'))
    .addColumn('key_seq', engine.sequenceValue, (c) =>
      c.references('api_keys.seq').onDelete('cascade'),
    )
    .addColumn('resource', engine.text, (c) => c.notNull())
    .addColumn('unit', engine.text, (c) => c.notNull())
    .execute();
  await sql`create unique index usage_parts_of_project
    on usage_parts (project_id, (coalesce(key_seq, 0)), resource, unit)`.execute(db);
  await index(db, 'usage_parts', ['key_seq']);
}

/** As the other tables of counts: recent ones by time, lasting ones by owner. There are no minutes. */
async function counts(
  db: Kysely<unknown>,
  engine: Engine,
  name: string,
  columns: readonly string[],
): Promise<void> {
  for (const level of ['quarters', 'days', 'months']) {
    const isLasting = level !== 'quarters';
    let table = db.schema
      .createTable(`${name}_${level}`)
      .addColumn('start', 'bigint', (c) => c.notNull())
      .addColumn('seq', engine.sequenceValue, (c) =>
        isLasting ? c.notNull().references('usage_parts.seq').onDelete('cascade') : c.notNull(),
      );
    for (const column of columns) table = table.addColumn(column, 'bigint', (c) => c.notNull());
    const key = isLasting ? (['seq', 'start'] as const) : (['start', 'seq'] as const);
    await engine
      .clustered(table.addPrimaryKeyConstraint(`${name}_${level}_primary`, [...key]))
      .execute();
  }
  await sql`insert into usage_watermarks (level, rolled_until, cursor)
    values (${`${name} quarters`}, 0, 0)`.execute(db);
}
