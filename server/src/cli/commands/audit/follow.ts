import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '../../api.ts';
import { UsageError } from '../../failure.ts';
import type { PageValues } from '../../listing.ts';
import type { ResourceCall } from '../../resource-command.ts';
import { type Column, type Row, Table } from '../../terminal/table.ts';
import { untilInterrupted } from '../../terminal/terminal.ts';

const FIRST_ROWS = 10;
const QUERY_EVERY_MS = 1_000;
/** Each query goes back this far: rows of several nodes arrive slightly out of order. */
const OVERLAP_MS = 10_000;

/** Prints the last rows and then new ones, oldest first, each once, until interrupted. */
export async function followLog(
  { api, out, values, terminal }: ResourceCall<PageValues>,
  filter: Query,
  columns: readonly Column[],
): Promise<undefined> {
  if (filter.to ?? values.cursor ?? values.all ?? values.limit)
    throw new UsageError('--follow cannot be combined with --to, --limit, --cursor or --all');
  const isOver = untilInterrupted().then(() => true);
  const table = new Table(terminal, columns);
  const newRows = new NewRows();
  let pages = api.pages('listAuditLogs', { query: filter }, FIRST_ROWS);
  do {
    const rows: Row[] = [];
    for await (const page of pages) rows.push(...page.rows);
    out.more(table, newRows.of(rows));
    const query = { ...filter, from: newRows.from ?? filter.from };
    pages = api.pages('listAuditLogs', { query }, undefined);
  } while (!(await Promise.race([isOver, pause(QUERY_EVERY_MS)])));
}

/** Filters the new rows of each response: not in the previous one, and not older than the first row. */
class NewRows {
  #seen = new Set<unknown>();
  #oldest: string | null = null;
  #newest = '';

  /** Start of the next query. Undefined until a row was seen. */
  get from(): string | undefined {
    if (this.#newest === '') return undefined;
    return new Date(Date.parse(this.#newest) - OVERLAP_MS).toISOString();
  }

  /** Takes rows newest first and returns them oldest first. */
  of(rows: readonly Row[]): Row[] {
    this.#oldest ??= rows.length === 0 ? null : sortKey(rows.at(-1)!);
    const unseen = rows.filter((row) => !this.#seen.has(row.id) && sortKey(row) >= this.#oldest!);
    this.#seen = new Set(rows.map(({ id }) => id));
    for (const { createdAt } of rows)
      if (String(createdAt) > this.#newest) this.#newest = String(createdAt);
    return unseen.reverse();
  }
}

/** Sorts like the list. */
const sortKey = ({ createdAt, id }: Row): string => `${createdAt} ${id}`;
