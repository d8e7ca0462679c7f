import type { Send } from './redis-windows.ts';

const CONNECT_MS_MAX = 2_000;
const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 1_000;
/** Commands under way; more are refused at once. */
const IN_FLIGHT_MAX = 10_000;

export interface RedisLinkParts {
  readonly url: string;
  /** What is asked over a new connection first: an answer also shows that somebody is there. */
  readonly prepare: (send: Send) => Promise<void>;
  readonly onUp: () => void;
  /** Called once for each connection that was up, and for the first attempt when that fails. */
  readonly onDown: (error: Error) => void;
}

type Client = Awaited<ReturnType<typeof createLinkClient>>;

/** RESP 2 and no client information: understood by every Redis and Valkey, and by proxies. */
async function createLinkClient(url: string) {
  // Loaded here: a node without Redis need not pay 30 MB for it.
  const { createClient } = await import('redis');
  return createClient({
    url,
    RESP: 2,
    name: 'keyward',
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    commandsQueueMaxLength: IN_FLIGHT_MAX,
    // Who waits knows how long; a signal for each command would cost as much as the command.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: CONNECT_MS_MAX, reconnectStrategy: false, noDelay: true },
  });
}

/**
 * One connection to Redis, made anew whenever it is lost. The client's own way of reconnecting
 * keeps what waits for an answer; here everything that waits fails at once.
 *
 *   down ──connected, prepared──▶ up ──error, or `drop`──▶ down …  ──stop──▶ stopped
 */
export class RedisLink {
  readonly #parts: RedisLinkParts;
  #client: Client | null = null;
  #isUp = false;
  #isStopped = false;
  #wasToldDown = false;
  #waitMs = RECONNECT_MS_MIN;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RedisLinkParts) {
    this.#parts = parts;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Ends when the first attempt has ended, whichever way. */
  start(): Promise<void> {
    return this.#connect();
  }

  send: Send = (args) => {
    const client = this.#client;
    if (client === null || !this.#isUp) return Promise.reject(new Error('Redis is not connected.'));
    return client.sendCommand(args);
  };

  /** Gives up a connection that has gone silent: a half-open one would never end by itself. */
  drop(reason: string): void {
    if (this.#client !== null) this.#lost(this.#client, new Error(reason));
  }

  stop(): void {
    this.#isStopped = true;
    this.#isUp = false;
    clearTimeout(this.#timer);
    this.#client?.destroy();
    this.#client = null;
  }

  async #connect(): Promise<void> {
    const client = await createLinkClient(this.#parts.url);
    if (this.#isStopped) return;
    this.#client = client;
    client.on('error', (error: Error) => this.#lost(client, error));
    const tooLate = setTimeout(
      () => this.#lost(client, new Error('Redis does not answer.')),
      CONNECT_MS_MAX,
    );
    try {
      await client.connect();
      await this.#parts.prepare((args) => client.sendCommand(args));
      if (this.#client !== client) return;
      this.#isUp = true;
      this.#wasToldDown = false;
      this.#waitMs = RECONNECT_MS_MIN;
      this.#parts.onUp();
    } catch (error) {
      this.#lost(client, error as Error);
    } finally {
      clearTimeout(tooLate);
    }
  }

  #lost(client: Client, error: Error): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#isUp = false;
    client.destroy();
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#waitMs).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, RECONNECT_MS_MAX);
    if (this.#wasToldDown) return;
    this.#wasToldDown = true;
    this.#parts.onDown(error);
  }
}
