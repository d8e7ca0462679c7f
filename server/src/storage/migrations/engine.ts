import {
  type ColumnBuilderCallback,
  type ColumnDataType,
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Expression,
  sql,
} from 'kysely';
import type { EngineName } from '../index.ts';

/** What a migration must say differently to each database; everything else they share. */
export interface Engine {
  readonly name: EngineName;
  /** Type and options of a small integer that the database gives out and never gives out again. */
  readonly sequence: readonly [type: ColumnDataType, build: ColumnBuilderCallback];
  /** Type of a column that holds a value of such a sequence. */
  readonly sequenceValue: ColumnDataType;
  /** Text that sorts by its bytes, so that ids sort by their time of making. */
  readonly id: ColumnDataType | Expression<unknown>;
  /**
   * Text that is listed or looked up in its order, which must be the same on every database; by
   * its bytes, like SQLite's, whatever the database's own collation.
   */
  readonly text: ColumnDataType | Expression<unknown>;
  /** Bytes as they are. */
  readonly bytes: ColumnDataType;
  /** Rows stand in the order of the primary key, without a second copy of it. */
  clustered(table: Table): Table;
}

type Table = CreateTableBuilder<string, never>;

type Column = ColumnDefinitionBuilder;

const engines: Record<EngineName, Engine> = {
  sqlite: {
    name: 'sqlite',
    // Without autoincrement the number of an erased key would go to the next one, and with it the
    // uses that are still to be flushed.
    sequence: ['integer', (column: Column) => column.primaryKey().autoIncrement()],
    sequenceValue: 'integer',
    id: 'text',
    text: 'text',
    bytes: 'blob',
    clustered: (table) => table.modifyEnd(sql`without rowid`),
  },
  postgres: {
    name: 'postgres',
    sequence: ['bigint', (column: Column) => column.generatedByDefaultAsIdentity().primaryKey()],
    sequenceValue: 'bigint',
    id: sql`text collate "C"`,
    text: sql`text collate "C"`,
    bytes: 'bytea',
    clustered: (table) => table,
  },
};

export const engineOf = (name: EngineName): Engine => engines[name];
