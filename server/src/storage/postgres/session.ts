import { Client, type ClientConfig, type QueryResult } from 'pg';
import { type CancelKey, cancelStatement } from './cancel-statement.ts';
import { ConnectionLost, endsSession, toStorageError } from './errors.ts';
import { ManyStatement } from './many-statement.ts';
import { ReadStatement } from './read-statement.ts';
import { toWire, typeParsers } from './values.ts';
import { withTimeout } from './with-timeout.ts';

/** Rows of one ManyStatement. Bounds memory: all rows in flight are buffered. */
const ROWS_PER_STATEMENT = 5_000;

/** TCP keep-alive starts after this time, then repeats every second: a dead idle connection ends within 11 s. */
const KEEP_ALIVE_AFTER_MS = 1_000;

/** Notified when a session starts and stops waiting for a response. */
export interface Watch {
  onWait(session: Session): void;
  onResponse(session: Session): void;
  /** The result of a statement sent at this monotonic time; no error: it succeeded. */
  onResult(sentAt: number, error: Error | undefined): void;
}

/**
 * One connection: usable → ended, by the server, by the network or by `end`. Concurrent statements run
 * in the order of the calls.
 */
export class Session {
  readonly #client: Client;
  readonly #config: ClientConfig;
  readonly #watch: Watch | undefined;
  #ended: Error | undefined;
  #tail: Promise<void> = Promise.resolve();
  #waitingSince: number | undefined;
  /** Statements so far: a session that was used before may have died since. */
  #served = 0;
  onEnd: () => void = () => {};

  private constructor(client: Client, config: ClientConfig, watch: Watch | undefined) {
    this.#client = client;
    this.#config = config;
    this.#watch = watch;
    client.on('error', (error) => this.end(toStorageError(error)));
    client.on('end', () => this.end(toStorageError(new Error('it was closed'))));
  }

  static async open(config: ClientConfig, timeoutMs: number, watch?: Watch): Promise<Session> {
    const client = new Client({
      ...config,
      types: typeParsers,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    });
    const session = new Session(client, config, watch);
    const late = () => new ConnectionLost(`PostgreSQL did not respond within ${timeoutMs} ms.`);
    try {
      await withTimeout(client.connect(), timeoutMs, late);
    } catch (error) {
      const reason = toStorageError(error);
      session.end(reason);
      throw reason;
    }
    return session;
  }

  get ended(): Error | undefined {
    return this.#ended;
  }

  get isFresh(): boolean {
    return this.#served === 0;
  }

  /** How long the running statement has been waiting for its response. */
  waitedMs(now: number): number {
    return this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
  }

  /** Id of the server process, or of the pooler's connection if there is a pooler. */
  get processId(): number | null {
    return (this.#client as Client & { processID: number | null }).processID;
  }

  query(text: string, parameters: readonly unknown[] = []): Promise<QueryResult> {
    const values = parameters.map(toWire);
    return this.#inTurn(() => this.#client.query(text, values));
  }

  /** PostgreSQL ends the statement after `timeoutMs`. */
  read(text: string, parameters: readonly unknown[], timeoutMs: number): Promise<QueryResult> {
    const statement = new ReadStatement(text, parameters, timeoutMs);
    return this.#inTurn(() => this.#client.query(statement).done);
  }

  /** Asks the server to cancel the running statement; resolves when it has received the request. */
  cancel(timeoutMs: number): Promise<void> {
    return cancelStatement(this.#config, this.#client as Client & CancelKey, timeoutMs);
  }

  async many(text: string, rows: readonly (readonly unknown[])[]): Promise<void> {
    for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
      const piece = new ManyStatement(text, rows.slice(from, from + ROWS_PER_STATEMENT));
      await this.#inTurn(() => this.#client.query(piece).done);
    }
  }

  /** Ends immediately. A running statement is rejected with `reason`. */
  end(reason: Error): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#client.end().catch(() => {});
    this.onEnd();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    const turn = Promise.withResolvers<void>();
    this.#tail = turn.promise;
    await before;
    try {
      if (this.#ended) throw this.#ended;
      return await this.#run(work);
    } finally {
      turn.resolve();
    }
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    const sentAt = performance.now();
    this.#waitingSince = sentAt;
    this.#watch?.onWait(this);
    let failure: Error | undefined;
    try {
      return await work();
    } catch (error) {
      failure = this.#ended ?? toStorageError(error);
      if (endsSession(failure)) this.end(failure);
      throw failure;
    } finally {
      this.#served++;
      this.#waitingSince = undefined;
      this.#watch?.onResponse(this);
      this.#watch?.onResult(sentAt, failure);
    }
  }
}
