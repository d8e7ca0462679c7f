import keySlot from 'cluster-key-slot';
import type { Cluster, Redis } from 'iovalkey';
import {
  connectionOptions,
  type LinkParts,
  type RedisLink,
  reconnectMs,
  sendTo,
  TickCork,
} from './link.ts';
import type { Send } from './windows.ts';

/** Redirections report changes at once. The refresh finds new masters to which no command was sent yet. */
const REFRESH_MS = 10_000;
/** After more redirections of one command, slots are moving faster than a check can wait for. */
const REDIRECTIONS_MAX = 8;

const nodeName = ({ options: { host, port } }: Redis): string => `${host}:${port}`;

/**
 * The masters of a Redis Cluster; a shard is named by the address of its master.
 *
 *   down ──slots known, scripts loaded──▶ up ──all connections lost──▶ down …
 *
 * While the link is up, each shard disconnects and reconnects on its own.
 */
export class ClusterLink implements RedisLink {
  readonly #parts: LinkParts;
  readonly #cluster: Cluster;
  readonly #send: Send;
  readonly #nodes = new Map<string, Redis>();
  readonly #cork: TickCork;
  #masters: readonly string[] = [];
  #isUp = false;
  #isStopped = false;
  #isDownReported = false;
  #attempts = 0;
  #lastError: Error | null = null;

  constructor(library: { Cluster: typeof Cluster }, parts: LinkParts) {
    this.#parts = parts;
    this.#cork = new TickCork(() => this.#nodes.values());
    this.#cluster = new library.Cluster([...parts.address.hosts], {
      redisOptions: connectionOptions(parts),
      enableOfflineQueue: false,
      clusterRetryStrategy: () => reconnectMs(this.#attempts++),
      // Connects by name, because certificates are issued for names.
      dnsLookup: (name, done) => done(null, name),
      maxRedirections: REDIRECTIONS_MAX,
      slotsRefreshInterval: REFRESH_MS,
      // Keyward counts on its own node instead of waiting for a failover of Redis.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
    });
    this.#send = sendTo(this.#cluster);
    this.#cluster.on('+node', (redis: Redis) => this.#onNode(redis));
    this.#cluster.on('-node', (redis: Redis) => this.#onNodeLost(redis));
    this.#cluster.on('node error', (error: Error) => {
      this.#lastError = error;
    });
    this.#cluster.on('error', (error: Error & { lastNodeError?: Error }) => {
      this.#lastError = error.lastNodeError ?? error;
      this.#reportDown();
    });
    this.#cluster.on('close', () => {
      this.#isUp = false;
      this.#reportDown();
    });
    this.#cluster.on('ready', () => void this.#prepare());
    this.#cluster.on('refresh', () => this.#compareMasters());
  }

  send: Send = (args) => {
    if (!this.#isUp) return Promise.reject(new Error('Redis is not connected.'));
    this.#cork.cork();
    return this.#send(args);
  };

  shardOf(key: string): string {
    return this.#cluster.slots[keySlot(key)]?.[0] ?? '';
  }

  isShard(shard: string): boolean {
    return this.#masters.includes(shard);
  }

  isConnected(shard: string): boolean {
    return this.#isUp && this.#nodes.get(shard)?.status === 'ready';
  }

  ping(onReply: (shard: string) => void): void {
    if (!this.#isUp) return;
    const masters = this.#cluster.nodes('master');
    for (const master of masters)
      master.ping().then(
        () => onReply(nodeName(master)),
        () => {},
      );
    if (!this.#masters.every((shard) => this.isConnected(shard))) this.#cluster.refreshSlotsCache();
  }

  stop(): void {
    this.#isStopped = true;
    this.#isUp = false;
    const nodes = [...this.#nodes.values()];
    this.#cluster.disconnect();
    for (const { stream } of nodes) stream?.destroy();
  }

  #onNode(redis: Redis): void {
    this.#nodes.set(nodeName(redis), redis);
    redis.on('ready', () => {
      if (!redis.options.readOnly) this.#parts.prepareShard(sendTo(redis)).catch(() => {});
    });
  }

  #onNodeLost(redis: Redis): void {
    const name = nodeName(redis);
    if (this.#nodes.get(name) === redis) this.#nodes.delete(name);
    if (!this.#isStopped) this.#parts.onShardDown(name, this.#cause());
  }

  async #prepare(): Promise<void> {
    const masters = this.#cluster.nodes('master');
    const prepared = await Promise.allSettled(
      masters.map(async (master) => {
        await this.#parts.prepareShard(sendTo(master));
        // Commands sent together with a rejected AUTH may succeed. A command sent after the reply to AUTH fails.
        await master.ping();
      }),
    );
    if (this.#isStopped || this.#cluster.status !== 'ready') return;
    const failed = prepared.filter((each) => each.status === 'rejected');
    // If one shard does not respond, the others are still used.
    if (failed.length === prepared.length) {
      this.#lastError = failed[0]?.reason ?? this.#lastError;
      this.#reportDown();
      this.#cluster.disconnect(true);
      return;
    }
    this.#attempts = 0;
    this.#isUp = true;
    this.#isDownReported = false;
    this.#lastError = null;
    this.#compareMasters();
    this.#parts.onUp();
  }

  #compareMasters(): void {
    const now = [...new Set(this.#cluster.slots)].flatMap((nodes) => nodes?.[0] ?? []).toSorted();
    const masters = [...new Set(now)];
    const lost = this.#masters.filter((each) => !masters.includes(each));
    const gained = masters.filter((each) => !this.#masters.includes(each));
    this.#masters = masters;
    if (lost.length > 0 && gained.length > 0)
      this.#parts.onFailover(lost.join(', '), gained.join(', '));
  }

  #cause(): Error {
    return this.#lastError ?? new Error('the connection was closed');
  }

  #reportDown(): void {
    if (this.#isUp || this.#isStopped || this.#isDownReported) return;
    this.#isDownReported = true;
    this.#parts.onDown(this.#cause());
  }
}
