import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '../../api.ts';
import { UsageError } from '../../failure.ts';
import type { PageValues } from '../../listing.ts';
import type { ResourceCall } from '../../resource-command.ts';
import { type Column, type Row, Table } from '../../terminal/table.ts';
import { untilInterrupted } from '../../terminal/terminal.ts';

const FIRST_ROWS = 10;
const EVERY_MS = 1_000;
/** How far back is looked each time: rows of several nodes come a little out of order. */
const OVERLAP_MS = 10_000;

/** The last rows and then new ones, oldest first, each once, until it is interrupted. */
export async function followLog(
  { api, out, values, terminal }: ResourceCall<PageValues>,
  filter: Query,
  columns: readonly Column[],
): Promise<undefined> {
  if (filter.to ?? values.cursor ?? values.all ?? values.limit)
    throw new UsageError('--follow cannot be combined with --to, --limit, --cursor or --all');
  const isOver = untilInterrupted().then(() => true);
  const table = new Table(terminal, columns);
  const news = new News();
  let pages = api.pages('listAuditLogs', { query: filter }, FIRST_ROWS);
  do {
    const rows: Row[] = [];
    for await (const page of pages) rows.push(...page.rows);
    out.more(table, news.of(rows));
    const query = { ...filter, from: news.from ?? filter.from };
    pages = api.pages('listAuditLogs', { query }, undefined);
  } while (!(await Promise.race([isOver, pause(EVERY_MS)])));
}

/** What of each answer was not in one before it, nor older than the first. */
class News {
  #seen = new Set<unknown>();
  #oldest: string | null = null;
  #newest = '';

  /** Where the next question begins. Undefined while nothing was seen. */
  get from(): string | undefined {
    if (this.#newest === '') return undefined;
    return new Date(Date.parse(this.#newest) - OVERLAP_MS).toISOString();
  }

  /** Rows come newest first and go oldest first. */
  of(rows: readonly Row[]): Row[] {
    this.#oldest ??= rows.length === 0 ? null : placeOf(rows.at(-1)!);
    const unseen = rows.filter((row) => !this.#seen.has(row.id) && placeOf(row) >= this.#oldest!);
    this.#seen = new Set(rows.map(({ id }) => id));
    for (const { createdAt } of rows)
      if (String(createdAt) > this.#newest) this.#newest = String(createdAt);
    return unseen.reverse();
  }
}

/** In the order of the list. */
const placeOf = ({ createdAt, id }: Row): string => `${createdAt} ${id}`;
