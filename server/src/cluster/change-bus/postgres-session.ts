import { Socket } from 'node:net';
import { Client, type ClientConfig, type Notification } from 'pg';

import { CHANGES_CHANNEL } from './messages.ts';

/** Nodes find each other in pg_stat_activity by this prefix. */
const NODE_NAME = 'keyward node';
/**
 * The name of a session: `keyward node <id>`, followed by the offset of the node's clock once it is known, and the
 * newest schema that the node knows.
 */
const NODE_ID = "split_part(application_name, ' ', 3)";
const OTHER_NODES = `from pg_stat_activity where datname = current_database()
  and starts_with(application_name, $1) and ${NODE_ID} <> $2`;
/**
 * Held while a node that must run alone checks for other nodes, so that two nodes cannot both pass the check.
 * Nodes of earlier versions use the same lock name.
 */
const LOCK_CHECK = "select pg_advisory_lock(hashtextextended('keyward looks around', 0))";

/** The server ends the session of a vanished machine within seconds, but never a session that is only idle. */
const SETTINGS = [
  'set tcp_keepalives_idle = 2',
  'set tcp_keepalives_interval = 1',
  'set tcp_keepalives_count = 3',
  'set tcp_user_timeout = 5000',
  // Long enough for a busy server at the start. Later, a session without heartbeats is ended after a second.
  'set statement_timeout = 10000',
  'set idle_session_timeout = 0',
].join('; ');

/** Connects to the server that accepts writes, and notifies when another server takes over. */
export interface PrimaryConnector {
  connect(open: (config: ClientConfig) => Promise<BusSession>): Promise<BusSession>;
  onMoved(listener: () => void): void;
}

export interface BusSessionParts {
  readonly config: ClientConfig;
  readonly nodeId: string;
  /** The newest schema that this node knows. */
  readonly schemaVersion: number;
  readonly onMessage: (message: string) => void;
  /** Called with the payload of each heartbeat that came back through the database. */
  readonly onBeat: (payload: string) => void;
  readonly onEnd: (error: Error) => void;
}

/**
 * One listening connection. It also shows that the node is alive: when the node dies, its session
 * ends and disappears from pg_stat_activity.
 */
export class BusSession {
  readonly #client: Client;
  readonly #socket = new Socket();
  readonly #parts: BusSessionParts;
  readonly #beatChannel: string;
  #isEnded = false;

  constructor(parts: BusSessionParts) {
    this.#parts = parts;
    this.#beatChannel = `keyward_beat_${parts.nodeId}`;
    this.#client = new Client({
      ...parts.config,
      application_name: 'keyward change bus',
      stream: () => this.#socket,
    });
    this.#client.on('notification', (notification) => this.#receive(notification));
    this.#client.on('error', (error) => this.end(error));
    this.#client.on('end', () => this.end(new Error('The connection was closed.')));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Once this resolves, the session receives every change that commits. */
  async open(timeoutMs: number): Promise<void> {
    const timeout = setTimeout(
      () => this.end(new Error(`PostgreSQL did not respond within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    try {
      await this.#client.connect();
      await this.#client.query(SETTINGS);
      await this.#client.query(`listen ${CHANGES_CHANNEL}; listen "${this.#beatChannel}"`);
    } catch (error) {
      this.end(error as Error);
      throw error;
    } finally {
      clearTimeout(timeout);
    }
  }

  query(text: string): Promise<{ rows: Record<string, unknown>[] }> {
    return this.#client.query(text);
  }

  async beat(payload: string): Promise<void> {
    await this.#client.query('select pg_notify($1, $2)', [this.#beatChannel, payload]);
  }

  /** Registers this node: the other nodes count it from now on. */
  async register(): Promise<void> {
    await this.#client.query("select set_config('application_name', $1, false)", [this.#name]);
  }

  /** Registers this node if it is the only one; returns whether it is. */
  async registerAlone(): Promise<boolean> {
    await this.#client.query(LOCK_CHECK);
    try {
      if ((await this.countOthers()) > 0) return false;
      await this.register();
      return true;
    } finally {
      await this.#client.query('select pg_advisory_unlock_all()');
    }
  }

  /** Counts the other connected nodes. */
  async countOthers(): Promise<number> {
    return (await this.others()).count;
  }

  /** The number of other connected nodes, and the newest schema that all of them know. */
  async others(): Promise<{ readonly count: number; readonly schema: number }> {
    const { rows } = await this.#client.query<{ count: number; schema: number | null }>(
      `select count(distinct ${NODE_ID})::int as count,
         min(coalesce(nullif(split_part(application_name, ' ', 5), ''), '0')::int) as schema
       ${OTHER_NODES}`,
      this.#others,
    );
    const { count, schema } = rows[0]!;
    return { count, schema: schema ?? Number.POSITIVE_INFINITY };
  }

  /** Milliseconds since 1970 by the clock of PostgreSQL. */
  async serverTime(): Promise<number> {
    const { rows } = await this.#client.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    );
    return rows[0]!.now;
  }

  /** Tells the other nodes how far the clock of this node is ahead, and returns what they told. */
  async exchangeClocks(offsetMs: number): Promise<number[]> {
    const name = `${this.#name} ${offsetMs} ${this.#parts.schemaVersion}`;
    await this.#client.query("select set_config('application_name', $1, false)", [name]);
    const { rows } = await this.#client.query<{ offset: string }>(
      `select distinct on (${NODE_ID}) split_part(application_name, ' ', 4) as offset ${OTHER_NODES}
       order by ${NODE_ID}`,
      this.#others,
    );
    // Nodes of earlier versions tell nothing.
    return rows.filter(({ offset }) => offset !== '').map(({ offset }) => Number(offset));
  }

  get #others(): string[] {
    return [`${NODE_NAME} `, this.#parts.nodeId];
  }

  get #name(): string {
    return `${NODE_NAME} ${this.#parts.nodeId}`;
  }

  /** Ends immediately, without waiting for the server. */
  end(reason: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#socket.destroy();
    this.#parts.onEnd(reason);
  }

  #receive({ channel, payload = '' }: Notification): void {
    if (this.#isEnded) return;
    if (channel === this.#beatChannel) this.#parts.onBeat(payload);
    else this.#parts.onMessage(payload);
  }
}
