/** A table of the source. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key. Rows are read, copied and compared in this order. */
  readonly primaryKey: readonly string[];
  /** Tables that must be copied before this one. */
  readonly references: readonly string[];
}

/** Tables that are not copied, with the reason. All other tables are copied. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  audit_unsealed: 'filled by a trigger when rows of the audit log are inserted',
  customer_tags: 'filled by a trigger when customers are inserted',
  expiry_schedule: 'filled by a trigger when keys are inserted',
  key_tags: 'filled by a trigger when keys are inserted',
  last_use_hours: 'filled by a trigger when uses of keys are inserted',
  schema_compatibility: 'like schema_version',
  schema_version: 'written by the migration of the target, before anything is copied',
};

/** Those of them that triggers of the target fill. */
export const FILLED_BY_TRIGGERS: readonly string[] = Object.keys(NOT_COPIED).filter(
  (table) => !table.startsWith('schema_'),
);

/** Tables that migrations fill in a new database; the rows of the source replace these. */
export const SEEDED: readonly string[] = ['signal_cursors', 'usage_watermarks'];

/**
 * Sorts each table after the tables it refers to, otherwise by name, so that every run has the same order.
 */
export function sortTables(tables: readonly MovedTable[]): MovedTable[] {
  const left = new Map(
    tables.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((table) => [table.name, table]),
  );
  const ordered: MovedTable[] = [];
  while (left.size > 0) {
    const next = [...left.values()].find(({ name, references }) =>
      references.every((other) => other === name || !left.has(other)),
    );
    if (next === undefined)
      throw new Error(`These tables have circular references: ${[...left.keys()].join(', ')}.`);
    left.delete(next.name);
    ordered.push(next);
  }
  return ordered;
}
