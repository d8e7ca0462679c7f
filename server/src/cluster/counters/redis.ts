import type { Clock } from '../../kernel/clock.ts';
import type { Counters, LeaseRequest, LeaseResult, OpenWindow, TakeResult } from './counters.ts';
import { type RedisAddress, redisAddress } from './redis/address.ts';
import { PAUSE_MS_MIN } from './redis/breaker.ts';
import { RedisClient } from './redis/client.ts';
import { ClockOffset } from './redis/clock-offset.ts';
import { KnownWindows } from './redis/known-windows.ts';
import { LocalCounts } from './redis/local-counts.ts';
import { type Shard, Shards } from './redis/shards.ts';
import { TurnBatch } from './redis/turn-batch.ts';
import { type Grant, RedisWindows, type WindowCheck } from './redis/windows.ts';

/** No check waits longer for a silent Redis. */
const TIMEOUT_MS = 50;
const PROBE_EVERY_MS = PAUSE_MS_MIN;
/** After this multiple of the timeout without a reply, the client reconnects. */
const SILENCE_FACTOR = 20;
/** Checks per script call: enough to share its cost, few enough to run while more requests are read. */
const CHECKED_AT_ONCE = 16;
/** Pending checks of a shard; further ones are counted locally. At 50 ms each this is 200,000 per second. */
const CHECKS_MAX = 10_000;
/** How long a lease that was given back while Redis is unavailable is kept for merging. */
const GIVEN_BACK_MS = 60_000;

export interface RedisCountersParts {
  readonly url: string;
  /** Separates installations that share one Redis. */
  readonly prefix: string;
  /** Raised by tests of counting, because a busy machine may exceed the default. */
  readonly timeoutMs?: number;
  /** Live nodes, this one included. */
  readonly nodes: () => number;
  readonly clock: Clock;
  /** `cause` contains no credentials. */
  readonly onUnavailable: (cause: string) => void;
  readonly onRestored: () => void;
  readonly onFailover: (from: string, to: string) => void;
}

/** One request that waits for Redis. */
interface Check extends WindowCheck {
  readonly now: number;
  readonly resolve: (taken: TakeResult) => void;
}

/** What this node decided because the reply was late. */
type LocalDecision = Pick<LeaseResult, 'granted' | 'resetAt'>;

/**
 * Windows in Redis or Valkey, exact across all nodes. The checks of one event-loop turn are sent
 * together, to each shard of a Cluster once, and counted in order. For each shard:
 *
 *   shared ──breaker opens──▶ local (the node's share of what was left) ──breaker closes──▶ shared
 *
 * A check waits at most 50 ms for a silent Redis, and not at all while counting is local. What is
 * admitted locally is sent to Redis at once, or when it can be reached again. A request is always
 * counted at least once; it may be counted twice if its reply was lost with the connection.
 */
export class RedisCounters implements Counters {
  readonly #parts: RedisCountersParts;
  readonly #address: RedisAddress;
  readonly #client: RedisClient;
  readonly #windows: RedisWindows;
  readonly #known: KnownWindows;
  readonly #shards: Shards;
  readonly #local: LocalCounts;
  readonly #checks = new TurnBatch<Check>(CHECKED_AT_ONCE, (checks) => this.#sendBatch(checks));
  readonly #offset = new ClockOffset();
  #probing: NodeJS.Timeout | undefined;
  /** Checks counted on this node only. */
  localChecks = 0;
  /** Checks without a reply from Redis in time. */
  failures = 0;
  /** How often another server became master. */
  failovers = 0;

  constructor(parts: RedisCountersParts) {
    const { timeoutMs = TIMEOUT_MS, onUnavailable } = parts;
    this.#parts = parts;
    this.#address = redisAddress(parts.url);
    this.#known = new KnownWindows(parts.nodes);
    const onRestored = () => {
      parts.onRestored();
      this.#local.sendAll();
    };
    this.#shards = new Shards({ clock: parts.clock, timeoutMs, onUnavailable, onRestored });
    this.#client = new RedisClient({
      address: this.#address,
      silenceMs: SILENCE_FACTOR * timeoutMs,
      prepareServer: (send) => this.#windows.prepare(send),
      prepareShard: (send) => this.#windows.loadScripts(send),
      onUp: () => this.#shards.onUp(),
      onDown: (error) => this.#shards.onDown(error),
      onShardDown: (shard, error) => this.#shards.onShardDown(shard, error),
      onFailover: (from, to) => {
        this.failovers++;
        parts.onFailover(from, to);
      },
    });
    this.#windows = new RedisWindows(this.#client.send, parts.prefix);
    this.#local = new LocalCounts({
      clock: parts.clock,
      isConnected: (group) => this.#client.isConnected(this.#shardNameOf(group)),
      merge: (group, amount, leftMs) => this.#windows.merge(group, amount, leftMs),
      onMerged: ({ group, amount }, grant) => {
        this.#readGrant(group, grant, parts.clock(), false);
        this.#known.settle(group, amount);
      },
    });
  }

  /** Whether all limits are currently counted across all nodes. */
  get isShared(): boolean {
    return this.#shards.isShared;
  }

  /** Milliseconds since 1970 when `isShared` last changed. */
  get since(): number {
    return this.#shards.since;
  }

  get mode(): 'server' | 'sentinel' | 'cluster' {
    return this.#client.mode;
  }

  /** The configured hosts, without credentials. */
  get addresses(): readonly string[] {
    return this.#address.hosts.map(({ host, port }) => `${host}:${port}`);
  }

  /** How often the connection was restored. */
  get reconnects(): number {
    return this.#shards.reconnects;
  }

  /** Number of groups with counts not yet sent to Redis. */
  get unmerged(): number {
    return this.#local.size;
  }

  /** Resolves after the first attempt to connect; Redis may be unavailable, and return later. */
  async start(): Promise<void> {
    await this.#client.start();
    this.#probing = setInterval(() => this.#probe(), PROBE_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#probing);
    this.#local.sendAll();
    await this.#local.settled();
    this.#shards.stop();
    this.#client.stop();
  }

  /** Continues windows in Redis that were counted before it was configured. */
  load(windows: Iterable<OpenWindow>, now: number): void {
    for (const { group, consumed, resetAt } of windows) {
      this.#known.load(group, consumed, resetAt, now);
      this.#local.add({ group, amount: consumed, resetAt }, now);
    }
  }

  take(group: string, limit: number, ttlMs: number, now: number): TakeResult | Promise<TakeResult> {
    if (!this.#canUseRedis(group, now)) return this.#takeLocally({ group, limit, ttlMs }, now);
    return new Promise((resolve) => {
      this.#checks.add({ group, limit, ttlMs, now, resolve });
    });
  }

  lease(request: LeaseRequest, now: number): LeaseResult | Promise<LeaseResult> {
    const { id, group, amount } = request;
    if (!this.#canUseRedis(group, now)) return this.#leaseLocally(request, now);
    this.#checks.flush();
    const shard = this.#shardOf(group);
    return new Promise((resolve) => {
      let decision: LeaseResult;
      shard.timeouts.wait(this.#windows.grant(request, amount, id), 1, {
        onReply: (grant) => {
          shard.onReply();
          resolve(this.#readGrant(group, grant, now, shard.isUsual));
        },
        onError: (error) => {
          this.#onFailure(shard, error);
          resolve(this.#leaseLocally(request, now));
        },
        onTimeout: (error) => {
          this.#onFailure(shard, error);
          this.localChecks++;
          decision = this.#known.lease(request, now);
          resolve(decision);
        },
        onLate: (grant) => this.#correct(group, decision, grant, now),
      });
    });
  }

  giveBack(id: string, group: string, unused: number, now: number): number | Promise<number> {
    // A lease granted locally is given back locally, even if counting is shared again.
    const returned = this.#known.giveBack(id, group, unused, now);
    if (returned > 0) {
      this.#local.add({ group, amount: -returned, resetAt: now + GIVEN_BACK_MS }, now);
      return returned;
    }
    if (!this.#canUseRedis(group, now)) return 0;
    this.#checks.flush();
    const shard = this.#shardOf(group);
    return new Promise((resolve) => {
      const onFailure = (error: Error) => {
        this.#onFailure(shard, error);
        resolve(0);
      };
      shard.timeouts.wait(this.#windows.giveBack(id, group, unused), 1, {
        onReply: (amount) => {
          shard.onReply();
          resolve(amount);
        },
        onError: onFailure,
        onTimeout: onFailure,
        onLate: () => {},
      });
    });
  }

  #shardNameOf(group: string): string {
    return this.#client.shardOf(this.#windows.keyOf(group));
  }

  #shardOf(group: string): Shard {
    return this.#shards.get(this.#shardNameOf(group));
  }

  /** Whether to use Redis. If so, first sends it the local counts of the group. */
  #canUseRedis(group: string, now: number): boolean {
    if (!this.#shards.isUp) return false;
    const { isUsed, timeouts } = this.#shardOf(group);
    if (!isUsed || timeouts.pending + this.#checks.size >= CHECKS_MAX) return false;
    this.#local.sendAhead(group, now);
    return true;
  }

  #sendBatch(checks: readonly Check[]): void {
    const shards = Map.groupBy(checks, ({ group }) => this.#shardOf(group));
    for (const [shard, some] of shards) this.#sendToShard(shard, some);
  }

  #sendToShard(shard: Shard, checks: readonly Check[]): void {
    let decisions: LocalDecision[];
    shard.timeouts.wait(this.#windows.grantEach(checks), checks.length, {
      onReply: (grants) => {
        const { isUsual } = shard;
        for (const [n, check] of checks.entries()) this.#settle(shard, check, grants[n]!, isUsual);
      },
      onError: (error) => {
        for (const check of checks) this.#settle(shard, check, error, false);
      },
      onTimeout: (error) => {
        decisions = checks.map((check) => {
          this.#onFailure(shard, error);
          this.localChecks++;
          const taken = this.#known.take(check, check.now);
          check.resolve(taken);
          return { granted: taken.allowed ? 1 : 0, resetAt: taken.resetAt };
        });
      },
      onLate: (grants) => {
        for (const [n, { group, now }] of checks.entries()) {
          const grant = grants?.[n] ?? null;
          this.#correct(group, decisions[n]!, grant instanceof Error ? null : grant, now);
        }
      },
    });
  }

  #settle(shard: Shard, check: Check, grant: Grant | Error, isUsual: boolean): void {
    const { group, now, resolve } = check;
    if (grant instanceof Error) {
      this.#onFailure(shard, grant);
      resolve(this.#takeLocally(check, now));
    } else {
      shard.onReply();
      const { granted, consumed, resetAt } = this.#readGrant(group, grant, now, isUsual);
      resolve({ allowed: granted > 0, consumed, resetAt });
    }
  }

  #readGrant(group: string, grant: Grant, now: number, isUsual: boolean): LeaseResult {
    const [granted, consumed, redisReset, redisNow] = grant;
    this.#offset.observe(now, redisNow);
    const result = { granted, consumed, resetAt: this.#offset.toLocal(redisReset) };
    if (redisReset > 0) this.#known.observe(group, result, now, isUsual);
    return result;
  }

  /** A late reply, or null if it was lost: Redis gets the difference between the two decisions. */
  #correct(group: string, decision: LocalDecision, grant: Grant | null, sentAt: number): void {
    // What this node decided is already counted as admitted by it.
    const { resetAt } =
      grant === null
        ? decision
        : this.#readGrant(group, [0, grant[1], grant[2], grant[3]], sentAt, false);
    const granted = grant?.[0] ?? 0;
    this.#known.settle(group, granted);
    const amount = decision.granted - granted;
    if (amount !== 0)
      this.#local.add({ group, amount, resetAt }, Math.max(sentAt, this.#parts.clock()));
  }

  #takeLocally(check: WindowCheck, now: number): TakeResult {
    this.localChecks++;
    const taken = this.#known.take(check, now);
    const { allowed, resetAt } = taken;
    if (allowed) this.#local.add({ group: check.group, amount: 1, resetAt }, now);
    return taken;
  }

  #leaseLocally(request: LeaseRequest, now: number): LeaseResult {
    this.localChecks++;
    const leased = this.#known.lease(request, now);
    const { granted, resetAt } = leased;
    if (granted > 0) this.#local.add({ group: request.group, amount: granted, resetAt }, now);
    return leased;
  }

  #onFailure(shard: Shard, error: Error): void {
    this.failures++;
    this.#shards.onFailure(shard, error);
  }

  /** Also runs while Redis works, to find a silent connection before a check waits for it. */
  #probe(): void {
    this.#local.sendAll();
    this.#shards.keep((name) => this.#client.isShard(name));
    const sentAt = performance.now();
    this.#client.ping((name) => this.#shards.onProbe(name, sentAt));
  }
}
