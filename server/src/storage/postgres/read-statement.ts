import { type Connection, Query, type QueryResult } from 'pg';
import { toWire } from './values.ts';

/** A method of pg that its types omit. */
type Prepare = (this: Query, connection: Connection) => void;
const prepare = (Query.prototype as unknown as { prepare: Prepare }).prepare;

/**
 * One statement with a timeout of its own. The setting and the statement are sent together, before one sync,
 * so they are one transaction, take one round trip, and leave nothing behind in a session of a pooler
 * (45 µs of CPU on the server and 80 µs here).
 */
export class ReadStatement extends Query {
  readonly done: Promise<QueryResult>;
  readonly #timeoutMs: number;

  constructor(text: string, parameters: readonly unknown[], timeoutMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    const callback = (error: Error | null, results: readonly QueryResult[]) =>
      error ? reject(error) : resolve(results.at(-1)!);
    const config = { text, values: parameters.map(toWire), queryMode: 'extended', callback };
    super(config as never);
    this.done = promise;
    this.#timeoutMs = timeoutMs;
  }

  /** Called by pg. */
  prepare(connection: Connection): void {
    // Returns no row, because pg could not parse one without a description.
    const text = `select 1 where set_config('statement_timeout', '${this.#timeoutMs}', true) is null`;
    connection.parse({ text, name: '', types: [] }, true);
    connection.bind({}, true);
    connection.execute({}, true);
    prepare.call(this, connection);
  }
}
