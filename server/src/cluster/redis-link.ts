import { type RedisAddress, RedisConnection, redisAddress } from './redis-connection.ts';
import type { Send } from './redis-windows.ts';

const CONNECT_MS_MAX = 2_000;
const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 1_000;

export interface RedisLinkParts {
  readonly url: string;
  /** What is asked over a new connection first: an answer also shows that somebody is there. */
  readonly prepare: (send: Send) => Promise<void>;
  readonly onUp: () => void;
  /** Called once for each connection that was up, and for the first attempt when that fails. */
  readonly onDown: (error: Error) => void;
}

/**
 * One connection to Redis, made anew whenever it is lost; everything that waits fails at once.
 *
 *   down ──connected, prepared──▶ up ──error, or `drop`──▶ down …  ──stop──▶ stopped
 */
export class RedisLink {
  readonly #parts: RedisLinkParts;
  readonly #address: RedisAddress;
  #connection: RedisConnection | null = null;
  #isUp = false;
  #isStopped = false;
  #wasToldDown = false;
  #waitMs = RECONNECT_MS_MIN;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RedisLinkParts) {
    this.#parts = parts;
    this.#address = redisAddress(parts.url);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Ends when the first attempt has ended, whichever way. */
  start(): Promise<void> {
    return this.#connect();
  }

  send: Send = (args) => {
    const connection = this.#connection;
    if (connection === null || !this.#isUp)
      return Promise.reject(new Error('Redis is not connected.'));
    return connection.send(args);
  };

  /** Gives up a connection that has gone silent: a half-open one would never end by itself. */
  drop(reason: string): void {
    if (this.#connection !== null) this.#lost(this.#connection, new Error(reason));
  }

  stop(): void {
    this.#isStopped = true;
    this.#isUp = false;
    clearTimeout(this.#timer);
    this.#connection?.destroy();
    this.#connection = null;
  }

  async #connect(): Promise<void> {
    const connection: RedisConnection = new RedisConnection(this.#address, (error) =>
      this.#lost(connection, error),
    );
    this.#connection = connection;
    const tooLate = setTimeout(
      () => this.#lost(connection, new Error('Redis does not answer.')),
      CONNECT_MS_MAX,
    );
    try {
      await connection.open();
      await this.#parts.prepare((args) => connection.send(args));
      if (this.#connection !== connection) return;
      this.#isUp = true;
      this.#wasToldDown = false;
      this.#waitMs = RECONNECT_MS_MIN;
      this.#parts.onUp();
    } catch (error) {
      this.#lost(connection, error as Error);
    } finally {
      clearTimeout(tooLate);
    }
  }

  #lost(connection: RedisConnection, error: Error): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.#isUp = false;
    connection.destroy();
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#waitMs).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, RECONNECT_MS_MAX);
    if (this.#wasToldDown) return;
    this.#wasToldDown = true;
    this.#parts.onDown(error);
  }
}
