import {
  type ColumnBuilderCallback,
  type ColumnDataType,
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Expression,
  sql,
} from 'kysely';
import type { EngineName } from '../index.ts';

/** The differences between the databases that migrations need. */
export interface Engine {
  readonly name: EngineName;
  /** Type and options of a small integer that the database assigns and never reuses. */
  readonly sequence: readonly [type: ColumnDataType, build: ColumnBuilderCallback];
  /** Type of a column that refers to such a sequence. */
  readonly sequenceValue: ColumnDataType;
  /** Text that sorts by its bytes, so that ids sort by creation time. */
  readonly id: ColumnDataType | Expression<unknown>;
  /**
   * Text that lists and lookups sort by. The order must be the same on every database: by bytes, as
   * in SQLite, regardless of the collation of the database.
   */
  readonly text: ColumnDataType | Expression<unknown>;
  /** Binary data. */
  readonly bytes: ColumnDataType;
  /** On SQLite: stores rows in the order of the primary key, without a second copy of it. */
  clustered(table: Table): Table;
}

type Table = CreateTableBuilder<string, never>;

type Column = ColumnDefinitionBuilder;

const engines: Record<EngineName, Engine> = {
  sqlite: {
    name: 'sqlite',
    // Without autoincrement the next key would reuse the number of an erased one, and inherit its
    // usage that is not flushed yet.
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
