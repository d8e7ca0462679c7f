import { Socket } from 'node:net';
import { Client, type ClientConfig, type Notification } from 'pg';

import { CHANGES_CHANNEL } from './bus-messages.ts';

const CONNECT_MS_MAX = 1_500;

/** By this name nodes find each other in pg_stat_activity. */
const NODE_NAME = 'keyward node';
/** Of two that want to be alone, one looks around at a time. */
const LOOKING_AROUND = "select pg_advisory_lock(hashtextextended('keyward looks around', 0))";

/** So that the server soon lets go of a node whose machine has vanished, and never of an idle one. */
const SETTINGS = [
  'set tcp_keepalives_idle = 2',
  'set tcp_keepalives_interval = 1',
  'set tcp_keepalives_count = 3',
  'set tcp_user_timeout = 5000',
  'set statement_timeout = 1000',
  'set idle_session_timeout = 0',
].join('; ');

export interface BusSessionParts {
  readonly config: ClientConfig;
  readonly nodeId: string;
  readonly onMessage: (message: string) => void;
  /** Hears what it said itself, by way of the database; `payload` is what was said. */
  readonly onBeat: (payload: string) => void;
  readonly onEnd: (error: Error) => void;
}

/**
 * One connection that listens. It is also what shows that the node is alive: when the node dies,
 * its connection ends, and with it its entry among the sessions of the server.
 */
export class BusSession {
  readonly #client: Client;
  readonly #socket = new Socket();
  readonly #parts: BusSessionParts;
  readonly #beatChannel: string;
  #isOver = false;

  constructor(parts: BusSessionParts) {
    this.#parts = parts;
    this.#beatChannel = `keyward_beat_${parts.nodeId}`;
    this.#client = new Client({
      ...parts.config,
      application_name: 'keyward listens',
      stream: () => this.#socket,
    });
    this.#client.on('notification', (said) => this.#hear(said));
    this.#client.on('error', (error) => this.end(error));
    this.#client.on('end', () => this.end(new Error('The connection was closed.')));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** When it ends, everything that commits from now on is heard. */
  async open(): Promise<void> {
    const tooLate = setTimeout(
      () => this.end(new Error(`PostgreSQL did not answer in ${CONNECT_MS_MAX} ms.`)),
      CONNECT_MS_MAX,
    );
    try {
      await this.#client.connect();
      await this.#client.query(SETTINGS);
      await this.#client.query(`listen ${CHANGES_CHANNEL}; listen "${this.#beatChannel}"`);
    } catch (error) {
      this.end(error as Error);
      throw error;
    } finally {
      clearTimeout(tooLate);
    }
  }

  async beat(payload: string): Promise<void> {
    await this.#client.query('select pg_notify($1, $2)', [this.#beatChannel, payload]);
  }

  /** From now on the other nodes count this one. */
  async enter(): Promise<void> {
    await this.#client.query("select set_config('application_name', $1, false)", [this.#name]);
  }

  /** The same, if there is no other; answers whether there was none. */
  async enterAlone(): Promise<boolean> {
    await this.#client.query(LOOKING_AROUND);
    try {
      if ((await this.others()) > 0) return false;
      await this.enter();
      return true;
    } finally {
      await this.#client.query('select pg_advisory_unlock_all()');
    }
  }

  /** Other nodes that are connected. */
  async others(): Promise<number> {
    const { rows } = await this.#client.query<{ others: number }>(
      `select count(distinct application_name)::int as others from pg_stat_activity
       where datname = current_database() and application_name <> $1
         and starts_with(application_name, $2)`,
      [this.#name, `${NODE_NAME} `],
    );
    return rows[0]!.others;
  }

  get #name(): string {
    return `${NODE_NAME} ${this.#parts.nodeId}`;
  }

  /** At once: whoever is silent is not asked to say goodbye. */
  end(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.destroy();
    this.#parts.onEnd(reason);
  }

  #hear({ channel, payload = '' }: Notification): void {
    if (this.#isOver) return;
    if (channel === this.#beatChannel) this.#parts.onBeat(payload);
    else this.#parts.onMessage(payload);
  }
}
