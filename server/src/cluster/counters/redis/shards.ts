import type { Clock } from '../../../kernel/time/clock.ts';
import {
  afterDisconnect,
  afterFailure,
  afterProbe,
  afterReply,
  type Breaker,
  openBreaker,
} from './breaker.ts';
import { RedisTimeouts } from './timeouts.ts';

/** Nodes send their counts within one interval of probes, unless they are very busy. */
const CAUGHT_UP_AFTER_MS = 500;

/** The state of one Redis server: the only one, or the master of one shard of a Cluster. */
export class Shard {
  readonly timeouts: RedisTimeouts;
  #breaker: Breaker = afterProbe(openBreaker(performance.now()), performance.now());

  constructor(timeoutMs: number) {
    this.timeouts = new RedisTimeouts(timeoutMs);
  }

  /** Whether checks are sent to it. */
  get isUsed(): boolean {
    return !this.#breaker.isOpen;
  }

  /** Whether it has replied for long enough that every node has sent it what it admitted by itself. */
  get isCaughtUp(): boolean {
    const { isOpen, failures, since } = this.#breaker;
    return !isOpen && failures === 0 && performance.now() - since >= CAUGHT_UP_AFTER_MS;
  }

  onReply(): void {
    this.#breaker = afterReply(this.#breaker);
  }

  onFailure(): void {
    this.#breaker = afterFailure(this.#breaker, performance.now());
  }

  onDisconnect(): void {
    this.#breaker = afterDisconnect(this.#breaker, performance.now());
  }

  onProbe(sentAt: number): void {
    const now = performance.now();
    this.timeouts.lastReplyAt = now;
    if (now - sentAt <= this.timeouts.timeoutMs) this.#breaker = afterProbe(this.#breaker, now);
  }
}

export interface ShardsParts {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Called when counting is no longer shared, and if the first attempt to connect fails. */
  readonly onUnavailable: (cause: string) => void;
  readonly onRestored: () => void;
}

/** Whether Redis can be used, as a whole and shard by shard. */
export class Shards {
  readonly #parts: ShardsParts;
  readonly #shards = new Map<string, Shard>();
  #isUp = false;
  #wasShared = false;
  #connects = 0;
  /** Milliseconds since 1970 when `isShared` last changed. */
  since: number;

  constructor(parts: ShardsParts) {
    this.#parts = parts;
    this.since = parts.clock();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether all limits are currently counted across all nodes. */
  get isShared(): boolean {
    if (!this.#isUp) return false;
    for (const shard of this.#shards.values()) if (!shard.isUsed) return false;
    return true;
  }

  get reconnects(): number {
    return Math.max(0, this.#connects - 1);
  }

  get(name: string): Shard {
    let shard = this.#shards.get(name);
    if (shard === undefined) {
      shard = new Shard(this.#parts.timeoutMs);
      this.#shards.set(name, shard);
    }
    return shard;
  }

  onUp(): void {
    this.#isUp = true;
    this.#connects++;
    for (const shard of this.#shards.values()) shard.onProbe(performance.now());
    this.#reportChange(null);
  }

  onDown(error: Error): void {
    this.#isUp = false;
    for (const shard of this.#shards.values()) shard.onDisconnect();
    if (this.#connects === 0) this.#parts.onUnavailable(describe(error));
    else this.#reportChange(describe(error));
  }

  onShardDown(name: string, error: Error): void {
    this.#shards.get(name)?.onDisconnect();
    this.#reportChange(`${name}: ${describe(error)}`);
  }

  onFailure(shard: Shard, error: Error): void {
    shard.onFailure();
    const [name] = [...this.#shards].find(([, each]) => each === shard) ?? [];
    this.#reportChange(name ? `${name}: ${describe(error)}` : describe(error));
  }

  onProbe(name: string, sentAt: number): void {
    this.#shards.get(name)?.onProbe(sentAt);
    this.#reportChange(null);
  }

  /** Removes shards for which `isShard` is false: after a failover, the old master is no longer a shard. */
  keep(isShard: (name: string) => boolean): void {
    if (!this.#isUp) return;
    for (const name of this.#shards.keys()) if (!isShard(name)) this.#shards.delete(name);
    this.#reportChange(null);
  }

  stop(): void {
    this.#isUp = false;
  }

  #reportChange(cause: string | null): void {
    const { isShared } = this;
    if (isShared === this.#wasShared) return;
    this.#wasShared = isShared;
    this.since = this.#parts.clock();
    if (isShared) this.#parts.onRestored();
    else this.#parts.onUnavailable(cause ?? 'not connected');
  }
}

/** Only the message: errors of the client contain the command, which may be AUTH with the password. */
const describe = (error: Error & { code?: string }): string =>
  error.code ?? error.message.slice(0, 200);
