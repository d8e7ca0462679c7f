import { ClusterLink } from './cluster-link.ts';
import type { LinkParts, RedisLink } from './link.ts';
import { ServerLink } from './server-link.ts';
import type { Send } from './windows.ts';

type Library = Pick<typeof import('iovalkey'), 'Redis' | 'Cluster'>;

/**
 * The link to Redis. A single address may belong to a Redis Cluster. So each new connection first queries
 * the mode of the server. If it is part of a Cluster, connections to all shards replace this one.
 */
export class RedisClient {
  readonly #parts: LinkParts;
  #link: RedisLink | null = null;
  #isStopped = false;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  /** Resolves after the first attempt, whether it succeeded or not. */
  async start(): Promise<void> {
    // Loaded on demand: a node without Redis does not need it.
    const library: Library = await import('iovalkey');
    if (this.#isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const parts: LinkParts = {
      ...this.#parts,
      onUp: () => {
        this.#parts.onUp();
        resolve();
      },
      onDown: (error) => {
        this.#parts.onDown(error);
        resolve();
      },
      prepareServer: async (send) => {
        if (this.#parts.address.kind === 'server' && (await isCluster(send)))
          this.#useCluster(library, parts);
        else await this.#parts.prepareServer(send);
      },
    };
    this.#link =
      this.#parts.address.kind === 'cluster'
        ? new ClusterLink(library, parts)
        : new ServerLink(library, parts);
    await promise;
  }

  /** `cluster` also if a single address turned out to belong to a Cluster. */
  get mode(): 'server' | 'sentinel' | 'cluster' {
    return this.#link instanceof ClusterLink ? 'cluster' : this.#parts.address.kind;
  }

  send: Send = (args) =>
    this.#link?.send(args) ?? Promise.reject(new Error('Redis is not connected.'));

  shardOf(key: string): string {
    return this.#link?.shardOf(key) ?? '';
  }

  isShard(shard: string): boolean {
    return this.#link?.isShard(shard) ?? false;
  }

  isConnected(shard: string): boolean {
    return this.#link?.isConnected(shard) ?? false;
  }

  ping(onReply: (shard: string) => void): void {
    this.#link?.ping(onReply);
  }

  stop(): void {
    this.#isStopped = true;
    this.#link?.stop();
  }

  #useCluster(library: Library, parts: LinkParts): void {
    this.#link?.stop();
    if (!this.#isStopped) this.#link = new ClusterLink(library, parts);
  }
}

/** Every user may call HELLO. A server or proxy that does not know HELLO is treated as a single server. */
async function isCluster(send: Send): Promise<boolean> {
  const reply = await send(['HELLO']).catch((error: Error) => {
    if (/^(ERR|NOPERM)/.test(error.message)) return [];
    throw error;
  });
  const fields = reply as unknown[];
  return fields[fields.indexOf('mode') + 1] === 'cluster';
}
