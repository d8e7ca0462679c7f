import type { Cluster, Redis, RedisOptions } from 'iovalkey';
import type { RedisAddress } from './address.ts';
import type { Send } from './windows.ts';

/** The connections to one server, to the master that Sentinels name, or to the shards of a Cluster. */
export interface RedisLink {
  /** Fails at once without a connection; a command that was sent is never sent again after a disconnect. */
  readonly send: Send;
  /** Which server holds a key: its address in a Cluster, otherwise ''. */
  shardOf(key: string): string;
  /** Whether this is still a server that holds keys. */
  isShard(shard: string): boolean;
  /** Whether a command for this shard would be written now. */
  isConnected(shard: string): boolean;
  /** Sends a PING to every server, and looks for new masters if one is lost. */
  ping(onReply: (shard: string) => void): void;
  stop(): void;
}

export interface LinkEvents {
  /** Connected and prepared. */
  onUp(): void;
  /** Once per lost connection, and if the first attempt fails. */
  onDown(error: Error): void;
  /** The connection to one shard of a Cluster is lost. */
  onShardDown(shard: string, error: Error): void;
  onFailover(from: string, to: string): void;
}

export interface LinkParts extends LinkEvents {
  readonly address: RedisAddress;
  /** A connection on which a reply is missing for this long is replaced. */
  readonly silenceMs: number;
  /** Runs first on each new connection to a server; also verifies that the server responds. */
  readonly prepareServer: (send: Send) => Promise<void>;
  /** The same for each master of a Cluster. */
  readonly prepareShard: (send: Send) => Promise<void>;
}

const CONNECT_MS_MAX = 2_000;
const KEEP_ALIVE_MS = 5_000;
const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 1_000;

export const reconnectMs = (attempt: number): number =>
  Math.min(RECONNECT_MS_MIN * 2 ** attempt, RECONNECT_MS_MAX);

/** The client finds the keys of a command only if the command's name is in lower case. */
export const sendTo =
  (redis: Redis | Cluster): Send =>
  ([command, ...args]) =>
    redis.call(command!.toLowerCase(), args);

/**
 * A command that may have been counted is not sent again, and nothing is queued for later: the node
 * counts by itself meanwhile. READONLY means that this master became a replica.
 */
export function connectionOptions({ address, silenceMs }: LinkParts): RedisOptions {
  const { username, password, database, isEncrypted } = address;
  return {
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(isEncrypted && { tls: {} }),
    db: database,
    family: 0,
    connectionName: 'keyward',
    connectTimeout: CONNECT_MS_MAX,
    socketTimeout: silenceMs,
    keepAlive: KEEP_ALIVE_MS,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  };
}

/** Writes the commands of one tick to each connection in one packet. */
export class TickCork {
  readonly #connections: () => Iterable<Redis>;
  #isCorked = false;

  constructor(connections: () => Iterable<Redis>) {
    this.#connections = connections;
  }

  cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const streams = [...this.#connections()].map(({ stream }) => stream);
    for (const stream of streams) stream?.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      for (const stream of streams) stream?.uncork();
    });
  }
}
