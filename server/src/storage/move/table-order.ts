/** A table as the source has it. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** In the order of the key: rows are read, copied and compared in it. */
  readonly primaryKey: readonly string[];
  /** Tables whose rows must be there before. */
  readonly references: readonly string[];
}

const LOOKUPS = 'by these SQLite finds rows of the audit log; PostgreSQL has indexes';

/** What SQLite has and PostgreSQL has not. */
export const OF_THE_SOURCE: Readonly<Record<string, string>> = {
  audit_by_account: LOOKUPS,
  audit_by_actor: LOOKUPS,
  audit_by_id: LOOKUPS,
  audit_by_target: LOOKUPS,
};

/** What is not copied, and why. Every other table is: a new one cannot be forgotten. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  schema_compatibility: 'as schema_version',
  schema_version: 'each database has its own: the target is migrated before anything is copied',
};

/** What PostgreSQL has and SQLite has not, and where its rows come from. */
export const OF_THE_TARGET: Readonly<Record<string, string>> = {
  audit_unsealed: 'noted by the database itself as rows of the audit log arrive',
};

/** What migrations put into a new database; the rows of the source take their place. */
export const SEEDED: readonly string[] = ['usage_watermarks'];

/** Each table after those it refers to; otherwise by name, so that every run has the same order. */
export function inOrder(tables: readonly MovedTable[]): MovedTable[] {
  const left = new Map(
    tables.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((table) => [table.name, table]),
  );
  const ordered: MovedTable[] = [];
  while (left.size > 0) {
    const next = [...left.values()].find(({ name, references }) =>
      references.every((other) => other === name || !left.has(other)),
    );
    if (next === undefined)
      throw new Error(
        `These tables refer to each other in a circle: ${[...left.keys()].join(', ')}.`,
      );
    left.delete(next.name);
    ordered.push(next);
  }
  return ordered;
}
