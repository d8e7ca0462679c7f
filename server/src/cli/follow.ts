import { setTimeout as pause } from 'node:timers/promises';
import type { ListId } from 'keyward';
import type { Query } from './api.ts';
import { UsageError } from './failure.ts';
import type { PageValues } from './listing.ts';
import type { ResourceCall } from './resource-command.ts';
import { type Column, type Row, Table } from './terminal/table.ts';
import { untilInterrupted } from './terminal/terminal.ts';

const FIRST_ROWS = 10;
const QUERY_EVERY_MS = 1_000;
/** Each query goes back this far: rows of several nodes arrive slightly out of order. */
const OVERLAP_MS = 10_000;

/** A list whose rows have an id and a time, newest first, with the filters `from` and `to`. */
interface FollowedList {
  readonly operation: ListId;
  readonly timeField: string;
  readonly columns: readonly Column[];
}

/** Prints the last rows and then new ones, oldest first, each once, until interrupted. */
export async function followList(
  { api, out, values, terminal }: ResourceCall<PageValues>,
  filter: Query,
  { operation, timeField, columns }: FollowedList,
): Promise<undefined> {
  if (filter.to ?? values.cursor ?? values.all ?? values.limit)
    throw new UsageError('--follow cannot be combined with --to, --limit, --cursor or --all');
  const isOver = untilInterrupted().then(() => true);
  const table = new Table(terminal, columns);
  const newRows = new NewRows(timeField);
  let pages = api.pages(operation, { query: filter }, FIRST_ROWS);
  do {
    const rows: Row[] = [];
    for await (const page of pages) rows.push(...page.rows);
    out.more(table, newRows.of(rows));
    const query = { ...filter, from: newRows.from ?? filter.from };
    pages = api.pages(operation, { query }, undefined);
  } while (!(await Promise.race([isOver, pause(QUERY_EVERY_MS)])));
}

/** Selects rows that were not in the previous response and are not older than all rows of the first response. */
class NewRows {
  readonly #timeField: string;
  #seen = new Set<unknown>();
  #oldest: string | null = null;
  #newest = '';

  constructor(timeField: string) {
    this.#timeField = timeField;
  }

  /** Start of the next query. Undefined until a row was seen. */
  get from(): string | undefined {
    if (this.#newest === '') return undefined;
    return new Date(Date.parse(this.#newest) - OVERLAP_MS).toISOString();
  }

  /** Takes rows newest first and returns them oldest first. */
  of(rows: readonly Row[]): Row[] {
    this.#oldest ??= rows.length === 0 ? null : this.#sortKey(rows.at(-1)!);
    const unseen = rows.filter(
      (row) => !this.#seen.has(row.id) && this.#sortKey(row) >= this.#oldest!,
    );
    this.#seen = new Set(rows.map(({ id }) => id));
    for (const row of rows) {
      const time = String(row[this.#timeField]);
      if (time > this.#newest) this.#newest = time;
    }
    return unseen.reverse();
  }

  /** Sorts like the list. */
  #sortKey(row: Row): string {
    return `${row[this.#timeField]} ${row.id}`;
  }
}
