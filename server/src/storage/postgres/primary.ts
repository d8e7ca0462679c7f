import type { ClientConfig } from 'pg';
import { ConnectionLost } from './errors.ts';
import { Session } from './session.ts';
import { POSTGRES_TIMEOUTS } from './timeouts.ts';

/** An open connection that can be queried for the role of its server. */
export interface OpenConnection {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
  end(reason: Error): void;
}

/** Null on a standby. The number grows with every promotion. */
const TIMELINE = `select case when pg_is_in_recovery() then null
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`;

/**
 * Finds the server that accepts writes among several:
 *
 *   unknown ──every server queried; the writable one with the highest timeline──▶ known
 *   known ──a connection fails, or leads to a standby──▶ unknown
 *
 * A server with a lower timeline than one seen before is a former primary that is still running; it
 * is never used. A URL with one server skips all of this.
 */
export class Primary {
  readonly #configs: readonly ClientConfig[];
  readonly #connectTimeoutMs: number;
  readonly #onMoved: ((from: string, to: string) => void)[] = [];
  #current: ClientConfig | undefined;
  /** The last primary found, kept during a new search. */
  #last: ClientConfig | undefined;
  #timeline = 0;
  #search: Promise<ClientConfig> | undefined;
  /** How often another server became the primary. */
  failovers = 0;

  constructor(
    configs: readonly ClientConfig[],
    connectTimeoutMs: number = POSTGRES_TIMEOUTS.connect,
  ) {
    this.#configs = configs;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /** Address of the last primary found; before the first connection, of the first server. */
  get host(): string {
    return addressOf(this.#last ?? this.#configs[0]!);
  }

  /** Called after every failover, with the addresses of both servers. */
  onMoved(listener: (from: string, to: string) => void): void {
    this.#onMoved.push(listener);
  }

  async connect<C extends OpenConnection>(open: (config: ClientConfig) => Promise<C>): Promise<C> {
    const [only, ...others] = this.#configs;
    if (others.length === 0) return open(only!);
    for (let isRetry = false; ; isRetry = true) {
      const config = this.#current ?? (await this.#find());
      let connection: C | undefined;
      try {
        connection = await open(config);
        await this.#assertPrimary(connection);
        return connection;
      } catch (error) {
        connection?.end(error as Error);
        if (this.#current === config) this.#current = undefined;
        if (isRetry) throw error;
      }
    }
  }

  async #assertPrimary(connection: OpenConnection): Promise<void> {
    const timeline = await timelineOf(connection);
    if (timeline > 0 && timeline >= this.#timeline) {
      this.#timeline = timeline;
      return;
    }
    throw new ConnectionLost('This PostgreSQL server is no longer the primary.');
  }

  /** Concurrent callers share one search. */
  #find(): Promise<ClientConfig> {
    this.#search ??= this.#searchAll().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #searchAll(): Promise<ClientConfig> {
    const configs = this.#configs;
    const results = await Promise.allSettled(
      configs.map(async (config) => {
        const connection = await Session.open(config, this.#connectTimeoutMs);
        try {
          return await timelineOf(connection);
        } finally {
          connection.end(new ConnectionLost('The search for the primary is finished.'));
        }
      }),
    );
    const timelines = results.map((result) => (result.status === 'fulfilled' ? result.value : 0));
    const highest = Math.max(...timelines);
    if (highest === 0 || highest < this.#timeline)
      throw new ConnectionLost(
        `None of the ${configs.length} PostgreSQL servers is the primary (${reasons(configs, results)}).`,
      );
    const found = configs[timelines.indexOf(highest)]!;
    const before = this.#last;
    this.#current = found;
    this.#last = found;
    this.#timeline = highest;
    if (before !== undefined && before !== found) {
      this.failovers++;
      for (const listener of this.#onMoved) listener(addressOf(before), addressOf(found));
    }
    return found;
  }
}

/** 0 on a standby. */
async function timelineOf(connection: OpenConnection): Promise<number> {
  const { rows } = await connection.query(TIMELINE);
  return (rows[0]?.timeline as number | null | undefined) ?? 0;
}

const addressOf = ({ host, port }: ClientConfig): string => `${host}:${port}`;

const reasons = (
  configs: readonly ClientConfig[],
  results: readonly PromiseSettledResult<number>[],
): string =>
  configs
    .map((config, n) => {
      const result = results[n]!;
      if (result.status === 'rejected')
        return `${addressOf(config)}: ${(result.reason as Error).message}`;
      return `${addressOf(config)}: ${result.value === 0 ? 'a standby' : 'a former primary'}`;
    })
    .join('; ');
