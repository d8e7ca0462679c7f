import type { Page } from '../api.ts';
import { type Column, printRecord, type Row, Table } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Tables and sentences for people, or only the JSON of the server for scripts. */
export class Output {
  readonly #terminal: Terminal;
  readonly #json: boolean;

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  /** `once` names a field that no later response shows again. */
  record(record: Row, once?: string): undefined {
    if (this.#json) return this.json(record);
    printRecord(this.#terminal, record);
    if (once === undefined || record[once] === null) return;
    this.#terminal.out('\n');
    this.#shownOnce(once);
  }

  /** A record, and one of its fields as a table below it. */
  recordWithTable(record: Row, field: string, columns: readonly Column[]): undefined {
    if (this.#json) return this.json(record);
    const { [field]: rows, ...rest } = record;
    printRecord(this.#terminal, rest);
    if ((rows as readonly Row[]).length === 0) return;
    this.#terminal.out('\n');
    new Table(this.#terminal, columns).print(rows as readonly Row[]);
  }

  #shownOnce(what: string): void {
    const advice = what === 'link' ? '' : ' Keep it in a safe place.';
    const line = `The ${what} above will not be shown again.${advice}`;
    this.#terminal.out(`${this.#terminal.style('bold', line)}\n`);
  }

  /** A few records, each in full. */
  records(records: readonly Row[], once: string): undefined {
    if (this.#json) return this.json(records);
    for (const record of records) {
      printRecord(this.#terminal, record);
      this.#terminal.out('\n');
    }
    if (records.some((record) => record[once] !== null)) this.#shownOnce(once);
  }

  json(value: unknown): undefined {
    this.#terminal.out(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** A sentence for a person; `value` for a script. */
  done(sentence: string, value: unknown): undefined {
    if (this.#json) this.json(value);
    else this.#terminal.out(`${sentence}\n`);
  }

  /** One item of a stream: a line for a person, a line of JSON for a script. */
  line(sentence: string, value: unknown): void {
    this.#terminal.out(`${this.#json ? JSON.stringify(value) : sentence}\n`);
  }

  /** More rows of a growing list: as lines of its table, or as lines of JSON. */
  more(table: Table, rows: readonly Row[]): void {
    if (this.#json) for (const row of rows) this.#terminal.out(`${JSON.stringify(row)}\n`);
    else if (rows.length > 0) table.print(rows);
  }

  async list(pages: AsyncIterable<Page>, columns: readonly Column[]): Promise<undefined> {
    const last = await (this.#json ? this.#listJson(pages) : this.#listTable(pages, columns));
    if (last && last.omitted > 0)
      this.#terminal.err(
        last.omitted === 1
          ? '1 more was not recorded and is not listed.\n'
          : `${last.omitted} more were not recorded and are not listed.\n`,
      );
  }

  /** Returns the last page. */
  async #listTable(
    pages: AsyncIterable<Page>,
    columns: readonly Column[],
  ): Promise<Page | undefined> {
    const table = new Table(this.#terminal, columns);
    let count = 0;
    let last: Page | undefined;
    for await (const page of pages) {
      if (page.rows.length > 0) table.print(page.rows);
      count += page.rows.length;
      last = page;
    }
    if (count === 0) this.#terminal.err('No results.\n');
    if (last && last.next !== null)
      this.#terminal.err(`More results: continue with --cursor ${last.next}, or use --all.\n`);
    return last;
  }

  /** Prints all pages as one array. Returns the last page. */
  async #listJson(pages: AsyncIterable<Page>): Promise<Page | undefined> {
    let separator = '[\n';
    let last: Page | undefined;
    for await (const page of pages) {
      last = page;
      for (const row of page.rows) {
        this.#terminal.out(separator + JSON.stringify(row));
        separator = ',\n';
      }
    }
    this.#terminal.out(separator === '[\n' ? '[]\n' : '\n]\n');
    return last;
  }
}
