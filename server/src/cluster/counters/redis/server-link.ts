import type { Redis } from 'iovalkey';
import {
  connectionOptions,
  type LinkParts,
  type RedisLink,
  reconnectMs,
  sendTo,
  TickCork,
} from './link.ts';
import type { Send } from './windows.ts';

/**
 * One server, or the master that Sentinels name.
 *
 *   down ──connected, prepared──▶ up ──error, or silent for too long──▶ down …
 */
export class ServerLink implements RedisLink {
  readonly #parts: LinkParts;
  readonly #redis: Redis;
  readonly #cork: TickCork;
  readonly #send: Send;
  #isUp = false;
  #isStopped = false;
  #isDownReported = false;
  #attempts = 0;
  #lastError: Error | null = null;
  #server = '';

  constructor(library: { Redis: typeof Redis }, parts: LinkParts) {
    this.#parts = parts;
    this.#redis = this.#connect(library);
    this.#send = sendTo(this.#redis);
    this.#cork = new TickCork(() => [this.#redis]);
    this.#redis.on('error', (error: Error) => {
      this.#lastError = error;
      if (!this.#isUp) this.#reportDown();
    });
    this.#redis.on('close', () => {
      this.#isUp = false;
      this.#reportDown();
    });
    this.#redis.on('ready', () => void this.#prepare());
  }

  send: Send = (args) => {
    if (!this.#isUp) return Promise.reject(new Error('Redis is not connected.'));
    this.#cork.cork();
    return this.#send(args);
  };

  shardOf(): string {
    return '';
  }

  isShard(shard: string): boolean {
    return shard === '';
  }

  isConnected(): boolean {
    return this.#isUp;
  }

  ping(onReply: (shard: string) => void): void {
    if (this.#isUp)
      this.#send(['PING']).then(
        () => onReply(''),
        () => {},
      );
  }

  stop(): void {
    this.#isStopped = true;
    this.#isUp = false;
    this.#redis.disconnect();
    this.#redis.stream?.destroy();
  }

  #connect({ Redis: Client }: { Redis: typeof Redis }): Redis {
    const { kind, hosts, name, isEncrypted, sentinelUsername, sentinelPassword } =
      this.#parts.address;
    const common = {
      ...connectionOptions(this.#parts),
      retryStrategy: () => reconnectMs(this.#attempts++),
    };
    if (kind !== 'sentinel') return new Client({ ...common, ...hosts[0]! });
    return new Client({
      ...common,
      sentinels: [...hosts],
      name,
      // It also verifies that the server is a master.
      enableReadyCheck: true,
      // Leaves a master that was replaced, even if it still responds.
      failoverDetector: true,
      sentinelRetryStrategy: reconnectMs,
      ...(sentinelUsername !== null && { sentinelUsername }),
      ...(sentinelPassword !== null && { sentinelPassword }),
      ...(isEncrypted && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    });
  }

  async #prepare(): Promise<void> {
    try {
      await this.#parts.prepareServer(this.#send);
    } catch (error) {
      if (this.#isStopped) return;
      this.#lastError = error as Error;
      this.#reportDown();
      if (this.#redis.status === 'ready') this.#redis.disconnect(true);
      return;
    }
    if (this.#isStopped || this.#redis.status !== 'ready') return;
    this.#isUp = true;
    this.#isDownReported = false;
    this.#attempts = 0;
    this.#lastError = null;
    const { remoteAddress, remotePort } = this.#redis.stream as {
      remoteAddress?: string;
      remotePort?: number;
    };
    const before = this.#server;
    this.#server = `${remoteAddress}:${remotePort}`;
    if (before !== '' && before !== this.#server) this.#parts.onFailover(before, this.#server);
    this.#parts.onUp();
  }

  #reportDown(): void {
    if (this.#isStopped || this.#isDownReported) return;
    this.#isDownReported = true;
    this.#parts.onDown(this.#lastError ?? new Error('the connection was closed'));
  }
}
