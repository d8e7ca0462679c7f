import type { Connection, Submittable } from 'pg';
import { toWire } from './values.ts';

/**
 * One statement for many rows: parsed once, then bound and executed for each row, with one sync at the
 * end, so that thousands of rows take one round trip. It has no name, because a transaction pooler
 * does not support named statements. The methods are those that pg calls on a query.
 */
export class ManyStatement implements Submittable {
  /** pg requires the property. */
  readonly name = '';
  readonly text: string;
  readonly done: Promise<void>;
  readonly #rows: readonly (string | Buffer | null)[][];
  readonly #settled = Promise.withResolvers<void>();

  constructor(text: string, rows: readonly (readonly unknown[])[]) {
    this.text = text;
    this.#rows = rows.map((row) => row.map(toWire));
    this.done = this.#settled.promise;
  }

  submit(connection: Connection): null {
    connection.stream.cork();
    connection.parse({ text: this.text, name: '', types: [] }, true);
    for (const values of this.#rows) {
      connection.bind({ values }, true);
      connection.execute({}, true);
    }
    connection.sync();
    connection.stream.uncork();
    return null;
  }

  handleError(error: Error): void {
    this.#settled.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settled.resolve();
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}
