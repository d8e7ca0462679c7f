import type { LimitCosts } from '@keyward/rules/limit-set.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type {
  CounterSet,
  Counters,
  LeaseRequest,
  LeaseResult,
  OpenWindow,
  TakeAllResult,
  TakeResult,
} from './counters.ts';
import { type RedisAddress, redisAddress } from './redis/address.ts';
import { BatchSender } from './redis/batch-sender.ts';
import { PAUSE_MS_MIN } from './redis/breaker.ts';
import { RedisClient } from './redis/client.ts';
import { LocalDecisions } from './redis/local-decisions.ts';
import { keepsNothing } from './redis/persistence.ts';
import { type Shard, Shards } from './redis/shards.ts';
import {
  type Grant,
  RedisWindows,
  type SetCheck,
  type SetGrant,
  type WindowCheck,
} from './redis/windows.ts';

/** How long a check waits for a silent Redis. */
const TIMEOUT_MS = 50;
const PROBE_EVERY_MS = PAUSE_MS_MIN;
/** After this multiple of the timeout without a reply, the client reconnects. */
const SILENCE_FACTOR = 20;
/** Pending checks of a shard; further ones are counted locally. At 50 ms each this is 200,000 per second. */
const CHECKS_MAX = 10_000;

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

/** A request that waits for Redis. */
interface Waiting<Result> {
  readonly now: number;
  readonly resolve: (result: Result) => void;
}
type SingleCheck = WindowCheck & Waiting<TakeResult>;
type WaitingSet = SetCheck & Waiting<TakeAllResult>;

/**
 * Windows in Redis or Valkey, exact across all nodes. The checks of one event-loop turn are sent
 * together, up to 16 at a time, and counted in order. For each shard:
 *
 *   shared ──breaker opens──▶ local (the node's share of what was left) ──breaker closes──▶ shared
 *
 * A check waits at most 50 ms for a silent Redis, and not at all while counting is local. What is
 * admitted locally is sent to Redis at once, or when it can be reached again. A request is always
 * counted at least once; it may be counted twice if its reply was lost with the connection.
 */
export class RedisCounters implements Counters {
  readonly #address: RedisAddress;
  readonly #client: RedisClient;
  readonly #windows: RedisWindows;
  readonly #shards: Shards;
  readonly #local: LocalDecisions;
  readonly #singles: BatchSender<SingleCheck, Grant, TakeResult>;
  readonly #sets: BatchSender<WaitingSet, SetGrant, TakeAllResult>;
  #probing: NodeJS.Timeout | undefined;
  /** Checks that Redis did not answer in time, or answered with an error. */
  failures = 0;
  /** How often another server became master. */
  failovers = 0;

  constructor(parts: RedisCountersParts) {
    const { timeoutMs = TIMEOUT_MS, onUnavailable } = parts;
    this.#address = redisAddress(parts.url);
    const onRestored = () => {
      parts.onRestored();
      this.#local.counts.sendAll();
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
        this.#local.onFailover();
        parts.onFailover(from, to);
      },
    });
    this.#windows = new RedisWindows(this.#client.send, parts.prefix);
    this.#local = new LocalDecisions({
      nodes: parts.nodes,
      clock: parts.clock,
      isConnected: (counter) => this.#client.isConnected(this.#shardNameOf(counter)),
      merge: (...count) => this.#windows.merge(...count),
      raise: (...count) => this.#windows.raise(...count),
    });
    this.#singles = this.#createSingleSender();
    this.#sets = this.#createSetSender();
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

  /** Checks counted on this node only. */
  get localChecks(): number {
    return this.#local.checks;
  }

  /** How often the connection was restored. */
  get reconnects(): number {
    return this.#shards.reconnects;
  }

  /** Number of counters with counts not yet sent to Redis. */
  get unmerged(): number {
    return this.#local.counts.size;
  }

  /** Resolves after the first attempt to connect; Redis may be unavailable, and return later. */
  async start(): Promise<void> {
    await this.#client.start();
    this.#probing = setInterval(() => this.#probe(), PROBE_EVERY_MS).unref();
  }

  /** Whether a restart of Redis forgets all windows; false if Redis does not say. */
  keepsNothing(): Promise<boolean> {
    return keepsNothing(this.#client.send);
  }

  async stop(): Promise<void> {
    clearInterval(this.#probing);
    this.#local.counts.sendAll();
    await this.#local.counts.settled();
    this.#shards.stop();
    this.#client.stop();
  }

  /** Continues windows that were counted before Redis was configured. */
  load(windows: Iterable<OpenWindow>, now: number): void {
    this.#local.load(windows, now);
  }

  take(
    counter: string,
    limit: number,
    ttlMs: number,
    now: number,
  ): TakeResult | Promise<TakeResult> {
    if (!this.#canUseRedis(counter)) return this.#local.take({ counter, limit, ttlMs }, now);
    this.#local.counts.sendAhead(counter, now);
    return new Promise((resolve) => {
      this.#singles.add({ counter, limit, ttlMs, now, resolve });
    });
  }

  takeAll(
    set: CounterSet,
    costs: LimitCosts,
    now: number,
    isDry = false,
  ): TakeAllResult | Promise<TakeAllResult> {
    if (!this.#canUseRedis(set.group)) return this.#local.takeSet({ set, costs, isDry }, now);
    for (const { counter } of set.limits) this.#local.counts.sendAhead(counter, now);
    return new Promise((resolve) => {
      this.#sets.add({ set, costs, isDry, now, resolve });
    });
  }

  lease(request: LeaseRequest, now: number): LeaseResult | Promise<LeaseResult> {
    const { counter } = request;
    if (!this.#canUseRedis(counter)) return this.#local.lease(request, now);
    this.#flushBefore(counter, now);
    const shard = this.#shardOf(counter);
    return new Promise((resolve) => {
      let decision: LeaseResult;
      shard.timeouts.wait(this.#windows.lease(request, this.#local.redisTime(now)), 1, {
        onReply: (grant) => {
          shard.onReply();
          const leased = this.#local.read(counter, grant, now, shard.isCaughtUp);
          const [, , closesAt, redisNow] = grant;
          // Redis counted after `now`. So this end is never too late, however the clocks differ.
          resolve({ ...leased, endsAt: now + closesAt - redisNow });
        },
        onError: (error) => {
          this.#onFailure(shard, error);
          resolve(this.#local.lease(request, now));
        },
        onTimeout: (error) => {
          this.#onFailure(shard, error);
          decision = this.#local.decideLease(request, now);
          resolve(decision);
        },
        onLate: (grant) => {
          this.#local.correct(request, decision, grant, now);
          // This node granted the lease itself, so the client returns it here. Giving back 0 removes the
          // record of the lease in Redis. If this fails, the record stays until the window closes.
          if (grant !== null && grant[0] > 0)
            this.#windows.giveBack(request.id, counter, 0).catch(() => {});
        },
      });
    });
  }

  giveBack(id: string, counter: string, unused: number, now: number): number | Promise<number> {
    // A lease granted locally is given back locally, even if counting is shared again.
    const returned = this.#local.giveBack(id, counter, unused, now);
    if (returned > 0) return returned;
    if (!this.#canUseRedis(counter)) return 0;
    this.#flushBefore(counter, now);
    const shard = this.#shardOf(counter);
    return new Promise((resolve) => {
      const onFailure = (error: Error) => {
        this.#onFailure(shard, error);
        resolve(0);
      };
      shard.timeouts.wait(this.#windows.giveBack(id, counter, unused), 1, {
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

  #createSingleSender(): BatchSender<SingleCheck, Grant, TakeResult> {
    return new BatchSender({
      shardOf: ({ counter }) => this.#shardOf(counter),
      send: (checks) => this.#windows.grantEach(checks),
      onFailure: (shard, error) => this.#onFailure(shard, error),
      onReply: ({ counter, now, resolve }, grant, isCaughtUp) => {
        const { granted, consumed, resetAt } = this.#local.read(counter, grant, now, isCaughtUp);
        resolve({ allowed: granted > 0, consumed, resetAt });
      },
      onUncounted: (check) => check.resolve(this.#local.take(check, check.now)),
      onTimeout: (check) => {
        const taken = this.#local.decide(check, check.now);
        check.resolve(taken);
        return taken;
      },
      onLate: (check, { allowed, resetAt }, grant) => {
        const limit = { ...check, isSliding: false };
        this.#local.correct(limit, { granted: allowed ? 1 : 0, resetAt }, grant, check.now);
      },
    });
  }

  #createSetSender(): BatchSender<WaitingSet, SetGrant, TakeAllResult> {
    return new BatchSender({
      shardOf: ({ set }) => this.#shardOf(set.group),
      send: (checks) => this.#windows.takeEach(checks, this.#local.redisTime(checks[0]!.now)),
      onFailure: (shard, error) => this.#onFailure(shard, error),
      onReply: (check, grant, isCaughtUp) =>
        check.resolve(this.#local.readSet(check, grant, check.now, isCaughtUp)),
      onUncounted: (check) => check.resolve(this.#local.takeSet(check, check.now)),
      onTimeout: (check) => {
        const decided = this.#local.decideSet(check, check.now);
        check.resolve(decided);
        return decided;
      },
      onLate: (check, decided, grant) => this.#local.correctSet(check, decided, grant, check.now),
    });
  }

  #shardNameOf(counter: string): string {
    return this.#client.shardOf(this.#windows.keyOf(counter));
  }

  #shardOf(counter: string): Shard {
    return this.#shards.get(this.#shardNameOf(counter));
  }

  #canUseRedis(counter: string): boolean {
    if (!this.#shards.isUp) return false;
    const { isUsed, timeouts } = this.#shardOf(counter);
    return isUsed && timeouts.pending + this.#singles.size + this.#sets.size < CHECKS_MAX;
  }

  /** Sends everything that Redis must count before an operation on this counter. */
  #flushBefore(counter: string, now: number): void {
    this.#local.counts.sendAhead(counter, now);
    this.#singles.flush();
    this.#sets.flush();
  }

  #onFailure(shard: Shard, error: Error): void {
    this.failures++;
    this.#shards.onFailure(shard, error);
  }

  /** Runs even while Redis works, to find a silent connection before a check waits for it. */
  #probe(): void {
    this.#local.counts.sendAll();
    this.#shards.keep((name) => this.#client.isShard(name));
    const sentAt = performance.now();
    this.#client.ping((name) => this.#shards.onProbe(name, sentAt));
  }
}
