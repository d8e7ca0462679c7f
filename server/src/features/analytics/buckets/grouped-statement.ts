import type { CompiledQuery } from 'kysely';
import type { Storage, Tx } from '../../../storage/index.ts';

/** Rows to a statement: SQLite then takes half as long for each. */
const GROUP = 50;

/**
 * A statement that takes any number of rows, none of them twice. PostgreSQL gets them one by one:
 * there the order of a statement's rows is not the order in which it locks them. Built once, since
 * building one takes longer than running it.
 */
export class GroupedStatement {
  readonly #build: (tx: Tx, rows: number) => CompiledQuery;
  readonly #built = new Map<string, CompiledQuery>();

  constructor(build: (tx: Tx, rows: number) => CompiledQuery) {
    this.#build = build;
  }

  async run(storage: Storage, tx: Tx, rows: readonly (readonly number[])[]): Promise<void> {
    const grouped = storage.engine === 'sqlite' ? rows.length - (rows.length % GROUP) : 0;
    await storage.executeMany(tx, this.#of(storage, tx, GROUP), groupsOf(rows, grouped));
    await storage.executeMany(tx, this.#of(storage, tx, 1), rows.slice(grouped));
  }

  #of({ engine }: Storage, tx: Tx, rows: number): CompiledQuery {
    const name = `${engine} ${rows}`;
    const built = this.#built.get(name) ?? this.#build(tx, rows);
    this.#built.set(name, built);
    return built;
  }
}

function groupsOf(rows: readonly (readonly number[])[], end: number): number[][] {
  const groups: number[][] = [];
  for (let start = 0; start < end; start += GROUP) {
    const group: number[] = [];
    for (let n = start; n < start + GROUP; n++) group.push(...rows[n]!);
    groups.push(group);
  }
  return groups;
}
