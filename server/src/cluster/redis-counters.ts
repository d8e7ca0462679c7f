import { setImmediate as nextTurn } from 'node:timers';
import type { Clock } from '../kernel/clock.ts';
import {
  answered,
  type Breaker,
  failed,
  lost,
  openBreaker,
  PAUSE_MS_MIN,
  probeAnswered,
} from './breaker.ts';
import { ClockOffset } from './clock-offset.ts';
import type { Counters, Leased, LeaseRequest, OpenWindow, Taken } from './counters.ts';
import { RedisLink } from './redis-link.ts';
import { RedisPatience } from './redis-patience.ts';
import { type Grant, RedisWindows, type WindowCheck } from './redis-windows.ts';
import type { ShareCounters } from './share-counters.ts';
import { TurnBatch } from './turn-batch.ts';
import { type UnmergedCount, UnmergedCounts } from './unmerged-counts.ts';

/** Silence that nobody waits longer for. */
const TIMEOUT_MS = 50;
const PROBE_EVERY_MS = PAUSE_MS_MIN;
/** Silence for this many times as long: the connection is given up and made anew. */
const SILENCE_FACTOR = 20;
const MERGED_AT_ONCE = 500;
/** Together in one script: enough to share its cost, and few enough to be counted while more are read. */
const CHECKED_AT_ONCE = 16;
/** Under way; more are decided apart at once. At 50 ms each this is 200,000 a second. */
const CHECKS_MAX = 10_000;
/** For how long what was given back while Redis is away is worth telling it. */
const GIVEN_BACK_MS = 60_000;

export interface RedisCountersParts {
  readonly url: string;
  /** Two installations may share one Redis. */
  readonly prefix: string;
  /** For tests of what is counted, on a machine too busy to answer in time. */
  readonly timeoutMs?: number;
  /** What limits are counted by while Redis is away. */
  readonly share: ShareCounters;
  readonly clock: Clock;
  readonly onAway: (error: Error) => void;
  readonly onBack: () => void;
}

/** One request that waits for Redis. */
interface Check extends WindowCheck {
  readonly now: number;
  readonly resolve: (taken: Taken) => void;
}

/**
 * Windows in Redis or Valkey, exact over all nodes that share it: the checks that come in one turn of
 * the event loop go there together, and are counted one after the other.
 *
 *   together ──breaker opens──▶ apart (each node from its share) ──breaker closes──▶ together
 *
 * Nobody waits for a Redis that is silent for 50 ms, and apart nobody waits at all. What was counted apart is added to
 * the shared windows when they can be reached again. In doubt a request counts: when an answer is
 * lost, it may have been counted on both sides, never on neither.
 */
export class RedisCounters implements Counters {
  readonly #parts: RedisCountersParts;
  readonly #link: RedisLink;
  readonly #windows: RedisWindows;
  readonly #checks = new TurnBatch<Check>(CHECKED_AT_ONCE, (checks) => this.#ask(checks));
  readonly #unmerged = new UnmergedCounts();
  readonly #offset = new ClockOffset();
  readonly #patience: RedisPatience;
  #breaker: Breaker;
  #probing: NodeJS.Timeout | undefined;
  #merging: Promise<void> | null = null;
  /** Checks answered from this node's share. */
  apart = 0;
  /** Checks that Redis did not answer, or not in time. */
  failures = 0;

  constructor(parts: RedisCountersParts) {
    this.#parts = parts;
    this.#patience = new RedisPatience(parts.timeoutMs ?? TIMEOUT_MS);
    this.#breaker = openBreaker(performance.now());
    this.#link = new RedisLink({
      url: parts.url,
      prepare: (send) => this.#windows.prepare(send),
      onUp: () => this.#up(),
      onDown: (error) => {
        this.#move(lost(this.#breaker, performance.now()), error);
        if (this.#patience.heardAt === 0) parts.onAway(error);
      },
    });
    this.#windows = new RedisWindows(this.#link.send, parts.prefix);
  }

  /** Whether limits are counted over all nodes at the moment. */
  get isTogether(): boolean {
    return !this.#breaker.isOpen;
  }

  /** Groups with counts that Redis has not heard of. */
  get unmerged(): number {
    return this.#unmerged.size;
  }

  /** Ends when it is known whether Redis is there; it may be away, and come back. */
  async start(): Promise<void> {
    await this.#link.start();
    this.#probing = setInterval(() => this.#probe(), PROBE_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#probing);
    await this.#merging;
    this.#link.stop();
  }

  /** Windows that were counted before there was Redis: they go on there. */
  load(windows: Iterable<OpenWindow>, now: number): void {
    for (const { group, consumed, resetAt } of windows)
      this.#unmerged.add(group, consumed, resetAt, now);
    this.#merge();
  }

  take(group: string, limit: number, ttlMs: number, now: number): Taken | Promise<Taken> {
    if (!this.#mayAsk(group, now)) return this.#takeApart({ group, limit, ttlMs }, now);
    return new Promise((resolve) => {
      this.#checks.add({ group, limit, ttlMs, now, resolve });
    });
  }

  lease(request: LeaseRequest, now: number): Leased | Promise<Leased> {
    const { id, group, amount } = request;
    if (!this.#mayAsk(group, now)) return this.#leaseApart(request, now);
    this.#checks.flush();
    return this.#alone(this.#windows.grant(request, amount, id), {
      read: (grant) => this.#leased(grant, now),
      otherwise: () => this.#leaseApart(request, now),
      late: (grant) => this.#takeBack(group, grant, now),
    });
  }

  giveBack(id: string, group: string, unused: number, now: number): number | Promise<number> {
    const { share } = this.#parts;
    // A lease of this node's share was counted here, wherever it is counted by now.
    const returned = share.giveBack(id, group, unused, now);
    if (returned > 0) {
      this.#unmerged.add(group, -returned, now + GIVEN_BACK_MS, now);
      return returned;
    }
    if (!this.isTogether) return 0;
    this.#checks.flush();
    return this.#alone(this.#windows.giveBack(id, group, unused), {
      read: (back) => back,
      otherwise: () => 0,
      late: () => {},
    });
  }

  /** Whether Redis is asked about a group at all; if so, it knows first what is known here. */
  #mayAsk(group: string, now: number): boolean {
    if (!this.isTogether || this.#patience.underWay + this.#checks.size >= CHECKS_MAX) return false;
    if (this.#unmerged.size > 0) this.#mergeAhead(group, now);
    return true;
  }

  #ask(checks: readonly Check[]): void {
    this.#patience.wait(this.#windows.grantEach(checks), checks.length, {
      read: (grants) => {
        for (const [n, check] of checks.entries()) this.#settle(check, grants[n]!);
      },
      giveUp: (error) => {
        for (const check of checks) this.#settle(check, error);
      },
      late: (grants) => {
        for (const [n, { group, now }] of checks.entries()) {
          const grant = grants[n]!;
          if (!(grant instanceof Error)) this.#takeBack(group, grant, now);
        }
      },
    });
  }

  /** What is not collected with others; it is sent behind what was collected before. */
  #alone<T, R>(
    answer: Promise<T>,
    { read, otherwise, late }: { read(reply: T): R; otherwise(): R; late(reply: T): void },
  ): Promise<R> {
    return new Promise((resolve) => {
      this.#patience.wait(answer, 1, {
        read: (reply) => {
          this.#breaker = answered(this.#breaker);
          resolve(read(reply));
        },
        giveUp: (error) => {
          this.#failed(error);
          resolve(otherwise());
        },
        late,
      });
    });
  }

  #settle(check: Check, grant: Grant | Error): void {
    const { now, resolve } = check;
    if (grant instanceof Error) {
      this.#failed(grant);
      resolve(this.#takeApart(check, now));
    } else {
      this.#breaker = answered(this.#breaker);
      const { granted, consumed, resetAt } = this.#leased(grant, now);
      resolve({ allowed: granted > 0, consumed, resetAt });
    }
  }

  #leased([granted, consumed, resetAt, redisNow]: Grant, now: number): Leased {
    this.#offset.observe(now, redisNow);
    return { granted, consumed, resetAt: this.#offset.toHere(resetAt) };
  }

  /** Answered from the share already: what Redis counted for it is not counted twice. */
  #takeBack(group: string, grant: Grant, now: number): void {
    const { granted, resetAt } = this.#leased(grant, now);
    this.#unmerged.add(group, -granted, resetAt, now);
  }

  #takeApart({ group, limit, ttlMs }: WindowCheck, now: number): Taken {
    this.apart++;
    const taken = this.#parts.share.take(group, limit, ttlMs, now);
    this.#unmerged.add(group, taken.allowed ? 1 : 0, taken.resetAt, now);
    return taken;
  }

  #leaseApart(request: LeaseRequest, now: number): Leased {
    this.apart++;
    const leased = this.#parts.share.lease(request, now);
    this.#unmerged.add(request.group, leased.granted, leased.resetAt, now);
    return leased;
  }

  /** One check that Redis did not answer. */
  #failed(error: Error): void {
    this.failures++;
    this.#move(failed(this.#breaker, performance.now()), error);
  }

  #up(): void {
    this.#patience.heardAt = performance.now();
    this.#move(probeAnswered(this.#breaker, this.#patience.heardAt));
  }

  /** Also while all is well: a connection that went silent is found before a check waits for it. */
  #probe(): void {
    if (!this.#link.isUp) return;
    this.#merge();
    const isSilent = () =>
      performance.now() - this.#patience.heardAt > SILENCE_FACTOR * this.#patience.timeoutMs;
    // Looked at once more when what lies ready has been read: we may have been held up ourselves.
    if (isSilent()) nextTurn(() => isSilent() && this.#link.drop('Redis went silent.'));
    const sentAt = performance.now();
    this.#link.send(['PING']).then(
      () => {
        this.#patience.heardAt = performance.now();
        if (this.#patience.heardAt - sentAt <= this.#patience.timeoutMs)
          this.#move(probeAnswered(this.#breaker, this.#patience.heardAt));
      },
      () => {},
    );
  }

  #move(next: Breaker, error?: Error): void {
    const wasOpen = this.#breaker.isOpen;
    this.#breaker = next;
    if (next.isOpen === wasOpen) return;
    if (next.isOpen) this.#parts.onAway(error ?? new Error('Redis is away.'));
    else {
      this.#parts.onBack();
      this.#merge();
    }
  }

  /** On the same connection and before the check, so that the check sees it. */
  #mergeAhead(group: string, now: number): void {
    const count = this.#unmerged.takeOf(group, now);
    if (count !== undefined) void this.#mergeOne(count, now);
  }

  #merge(): void {
    this.#merging ??= this.#mergeAll().finally(() => {
      this.#merging = null;
    });
  }

  async #mergeAll(): Promise<void> {
    while (this.#unmerged.size > 0 && this.isTogether) {
      const now = this.#parts.clock();
      const some = this.#unmerged.takeSome(MERGED_AT_ONCE, now);
      const merged = await Promise.all(some.map((count) => this.#mergeOne(count, now)));
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
