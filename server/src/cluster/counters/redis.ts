import { setImmediate as nextTurn } from 'node:timers';
import type { Clock } from '../../kernel/clock.ts';
import type { Counters, LeaseRequest, LeaseResult, OpenWindow, TakeResult } from './counters.ts';
import type { PerNodeCounters } from './per-node.ts';
import {
  afterDisconnect,
  afterFailure,
  afterProbe,
  afterReply,
  type Breaker,
  openBreaker,
  PAUSE_MS_MIN,
} from './redis/breaker.ts';
import { RedisClient } from './redis/client.ts';
import { ClockOffset } from './redis/clock-offset.ts';
import { RedisTimeouts } from './redis/timeouts.ts';
import { TurnBatch } from './redis/turn-batch.ts';
import { type UnmergedCount, UnmergedCounts } from './redis/unmerged-counts.ts';
import { type Grant, RedisWindows, type WindowCheck } from './redis/windows.ts';

/** No check waits longer for a silent Redis. */
const TIMEOUT_MS = 50;
const PROBE_EVERY_MS = PAUSE_MS_MIN;
/** After this multiple of the timeout without a reply, the client reconnects. */
const SILENCE_FACTOR = 20;
const MERGED_AT_ONCE = 500;
/** Checks per script call: enough to share its cost, few enough to run while more requests are read. */
const CHECKED_AT_ONCE = 16;
/** Pending checks; further ones are counted locally. At 50 ms each this is 200,000 per second. */
const CHECKS_MAX = 10_000;
/** How long a lease that was given back while Redis is unavailable is kept for merging. */
const GIVEN_BACK_MS = 60_000;

export interface RedisCountersParts {
  readonly url: string;
  /** Separates installations that share one Redis. */
  readonly prefix: string;
  /** Raised by tests of counting, because a busy machine may exceed the default. */
  readonly timeoutMs?: number;
  /** Counts limits while Redis is unavailable. */
  readonly fallback: PerNodeCounters;
  readonly clock: Clock;
  readonly onUnavailable: (error: Error) => void;
  readonly onRestored: () => void;
}

/** One request that waits for Redis. */
interface Check extends WindowCheck {
  readonly now: number;
  readonly resolve: (taken: TakeResult) => void;
}

/**
 * Windows in Redis or Valkey, exact across all nodes. The checks of one event-loop turn are sent
 * together and counted in order.
 *
 *   shared ──breaker opens──▶ local (each node counts its share) ──breaker closes──▶ shared
 *
 * A check waits at most 50 ms for a silent Redis, and not at all while counting is local. Local
 * counts are added to the shared windows when Redis is reachable again. If a reply is lost, the
 * request may be counted both in Redis and locally, but is always counted at least once.
 */
export class RedisCounters implements Counters {
  readonly #parts: RedisCountersParts;
  readonly #client: RedisClient;
  readonly #windows: RedisWindows;
  readonly #checks = new TurnBatch<Check>(CHECKED_AT_ONCE, (checks) => this.#sendBatch(checks));
  readonly #unmerged = new UnmergedCounts();
  readonly #offset = new ClockOffset();
  readonly #timeouts: RedisTimeouts;
  #breaker: Breaker;
  #probing: NodeJS.Timeout | undefined;
  #merging: Promise<void> | null = null;
  /** Checks counted on this node only. */
  localChecks = 0;
  /** Checks without a reply from Redis in time. */
  failures = 0;

  constructor(parts: RedisCountersParts) {
    this.#parts = parts;
    this.#timeouts = new RedisTimeouts(parts.timeoutMs ?? TIMEOUT_MS);
    this.#breaker = openBreaker(performance.now());
    this.#client = new RedisClient({
      url: parts.url,
      prepare: (send) => this.#windows.prepare(send),
      onUp: () => this.#onUp(),
      onDown: (error) => {
        this.#setBreaker(afterDisconnect(this.#breaker, performance.now()), error);
        if (this.#timeouts.lastReplyAt === 0) parts.onUnavailable(error);
      },
    });
    this.#windows = new RedisWindows(this.#client.send, parts.prefix);
  }

  /** Whether limits are currently counted across all nodes. */
  get isShared(): boolean {
    return !this.#breaker.isOpen;
  }

  /** Number of groups with counts not yet sent to Redis. */
  get unmerged(): number {
    return this.#unmerged.size;
  }

  /** Resolves after the first attempt to connect; Redis may be unavailable, and return later. */
  async start(): Promise<void> {
    await this.#client.start();
    this.#probing = setInterval(() => this.#probe(), PROBE_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#probing);
    await this.#merging;
    this.#client.stop();
  }

  /** Continues windows in Redis that were counted before it was configured. */
  load(windows: Iterable<OpenWindow>, now: number): void {
    for (const { group, consumed, resetAt } of windows)
      this.#unmerged.add(group, consumed, resetAt, now);
    this.#merge();
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
    return this.#sendSingle(this.#windows.grant(request, amount, id), {
      onReply: (grant) => this.#leaseResult(grant, now),
      onError: () => this.#leaseLocally(request, now),
      onLate: (grant) => this.#undo(group, grant, now),
    });
  }

  giveBack(id: string, group: string, unused: number, now: number): number | Promise<number> {
    // A lease granted locally is given back locally, even if counting is shared again.
    const returned = this.#parts.fallback.giveBack(id, group, unused, now);
    if (returned > 0) {
      this.#unmerged.add(group, -returned, now + GIVEN_BACK_MS, now);
      return returned;
    }
    if (!this.isShared) return 0;
    this.#checks.flush();
    return this.#sendSingle(this.#windows.giveBack(id, group, unused), {
      onReply: (amount) => amount,
      onError: () => 0,
      onLate: () => {},
    });
  }

  /** Whether to use Redis. If so, first sends it the local counts of the group. */
  #canUseRedis(group: string, now: number): boolean {
    if (!this.isShared || this.#timeouts.pending + this.#checks.size >= CHECKS_MAX) return false;
    if (this.#unmerged.size > 0) this.#mergeAhead(group, now);
    return true;
  }

  #sendBatch(checks: readonly Check[]): void {
    this.#timeouts.wait(this.#windows.grantEach(checks), checks.length, {
      onReply: (grants) => {
        for (const [n, check] of checks.entries()) this.#settle(check, grants[n]!);
      },
      onError: (error) => {
        for (const check of checks) this.#settle(check, error);
      },
      onLate: (grants) => {
        for (const [n, { group, now }] of checks.entries()) {
          const grant = grants[n]!;
          if (!(grant instanceof Error)) this.#undo(group, grant, now);
        }
      },
    });
  }

  /** Sends a command that is not batched, after the checks collected so far. */
  #sendSingle<T, R>(
    reply: Promise<T>,
    { onReply, onError, onLate }: { onReply(reply: T): R; onError(): R; onLate(reply: T): void },
  ): Promise<R> {
    return new Promise((resolve) => {
      this.#timeouts.wait(reply, 1, {
        onReply: (value) => {
          this.#breaker = afterReply(this.#breaker);
          resolve(onReply(value));
        },
        onError: (error) => {
          this.#onFailure(error);
          resolve(onError());
        },
        onLate,
      });
    });
  }

  #settle(check: Check, grant: Grant | Error): void {
    const { now, resolve } = check;
    if (grant instanceof Error) {
      this.#onFailure(grant);
      resolve(this.#takeLocally(check, now));
    } else {
      this.#breaker = afterReply(this.#breaker);
      const { granted, consumed, resetAt } = this.#leaseResult(grant, now);
      resolve({ allowed: granted > 0, consumed, resetAt });
    }
  }

  #leaseResult([granted, consumed, resetAt, redisNow]: Grant, now: number): LeaseResult {
    this.#offset.observe(now, redisNow);
    return { granted, consumed, resetAt: this.#offset.toLocal(resetAt) };
  }

  /** A late reply: the request was counted locally, so its count in Redis is subtracted. */
  #undo(group: string, grant: Grant, now: number): void {
    const { granted, resetAt } = this.#leaseResult(grant, now);
    this.#unmerged.add(group, -granted, resetAt, now);
  }

  #takeLocally({ group, limit, ttlMs }: WindowCheck, now: number): TakeResult {
    this.localChecks++;
    const taken = this.#parts.fallback.take(group, limit, ttlMs, now);
    this.#unmerged.add(group, taken.allowed ? 1 : 0, taken.resetAt, now);
    return taken;
  }

  #leaseLocally(request: LeaseRequest, now: number): LeaseResult {
    this.localChecks++;
    const leased = this.#parts.fallback.lease(request, now);
    this.#unmerged.add(request.group, leased.granted, leased.resetAt, now);
    return leased;
  }

  #onFailure(error: Error): void {
    this.failures++;
    this.#setBreaker(afterFailure(this.#breaker, performance.now()), error);
  }

  #onUp(): void {
    this.#timeouts.lastReplyAt = performance.now();
    this.#setBreaker(afterProbe(this.#breaker, this.#timeouts.lastReplyAt));
  }

  /** Also runs while Redis works, to find a silent connection before a check waits for it. */
  #probe(): void {
    if (!this.#client.isUp) return;
    this.#merge();
    const isSilent = () =>
      performance.now() - this.#timeouts.lastReplyAt > SILENCE_FACTOR * this.#timeouts.timeoutMs;
    // Checked again after reading what has arrived: the event loop may have been blocked.
    if (isSilent()) nextTurn(() => isSilent() && this.#client.drop('Redis stopped responding.'));
    const sentAt = performance.now();
    this.#client.send(['PING']).then(
      () => {
        this.#timeouts.lastReplyAt = performance.now();
        if (this.#timeouts.lastReplyAt - sentAt <= this.#timeouts.timeoutMs)
          this.#setBreaker(afterProbe(this.#breaker, this.#timeouts.lastReplyAt));
      },
      () => {},
    );
  }

  #setBreaker(next: Breaker, error?: Error): void {
    const wasOpen = this.#breaker.isOpen;
    this.#breaker = next;
    if (next.isOpen === wasOpen) return;
    if (next.isOpen) this.#parts.onUnavailable(error ?? new Error('Redis is unavailable.'));
    else {
      this.#parts.onRestored();
      this.#merge();
    }
  }

  /** Sent on the same connection before the check, so that the check includes it. */
  #mergeAhead(group: string, now: number): void {
    const count = this.#unmerged.takeGroup(group, now);
    if (count !== undefined) void this.#mergeOne(count, now);
  }

  #merge(): void {
    this.#merging ??= this.#mergeAll().finally(() => {
      this.#merging = null;
    });
  }

  async #mergeAll(): Promise<void> {
    while (this.#unmerged.size > 0 && this.isShared) {
      const now = this.#parts.clock();
      const counts = this.#unmerged.takeSome(MERGED_AT_ONCE, now);
      const merged = await Promise.all(counts.map((count) => this.#mergeOne(count, now)));
      if (merged.includes(false)) return;
    }
  }

  async #mergeOne(count: UnmergedCount, now: number): Promise<boolean> {
    const { group, amount, resetAt } = count;
    const leftMs = Math.ceil(resetAt - now);
    try {
      await this.#windows.merge(group, amount, leftMs);
      return true;
    } catch {
      this.#unmerged.add(group, amount, resetAt, now);
      return false;
    }
  }
}
