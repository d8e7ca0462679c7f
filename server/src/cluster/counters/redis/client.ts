import { type RedisAddress, RedisConnection, redisAddress } from './connection.ts';
import type { Send } from './windows.ts';

const CONNECT_MS_MAX = 2_000;
const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 1_000;

export interface RedisClientParts {
  readonly url: string;
  /** Runs first on each new connection; also verifies that the server responds. */
  readonly prepare: (send: Send) => Promise<void>;
  readonly onUp: () => void;
  /** Called once per lost connection, and if the first attempt fails. */
  readonly onDown: (error: Error) => void;
}

/**
 * A connection to Redis that reconnects when it is lost. Pending commands fail at once.
 *
 *   down ──connected, prepared──▶ up ──error, or `drop`──▶ down …  ──stop──▶ stopped
 */
export class RedisClient {
  readonly #parts: RedisClientParts;
  readonly #address: RedisAddress;
  #connection: RedisConnection | null = null;
  #isUp = false;
  #isStopped = false;
  #downReported = false;
  #reconnectMs = RECONNECT_MS_MIN;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RedisClientParts) {
    this.#parts = parts;
    this.#address = redisAddress(parts.url);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves after the first attempt, whether it succeeded or not. */
  start(): Promise<void> {
    return this.#connect();
  }

  send: Send = (args) => {
    const connection = this.#connection;
    if (connection === null || !this.#isUp)
      return Promise.reject(new Error('Redis is not connected.'));
    return connection.send(args);
  };

  /** Closes a silent connection: a half-open one would never end by itself. */
  drop(reason: string): void {
    if (this.#connection !== null) this.#onLost(this.#connection, new Error(reason));
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
      this.#onLost(connection, error),
    );
    this.#connection = connection;
    const timeout = setTimeout(
      () => this.#onLost(connection, new Error('Redis did not respond.')),
      CONNECT_MS_MAX,
    );
    try {
      await connection.open();
      await this.#parts.prepare((args) => connection.send(args));
      if (this.#connection !== connection) return;
      this.#isUp = true;
      this.#downReported = false;
      this.#reconnectMs = RECONNECT_MS_MIN;
      this.#parts.onUp();
    } catch (error) {
      this.#onLost(connection, error as Error);
    } finally {
      clearTimeout(timeout);
    }
  }

  #onLost(connection: RedisConnection, error: Error): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.#isUp = false;
    connection.destroy();
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#reconnectMs).unref();
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, RECONNECT_MS_MAX);
    if (this.#downReported) return;
    this.#downReported = true;
    this.#parts.onDown(error);
  }
}
