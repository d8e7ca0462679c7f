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
import { IN_FLIGHT_MAX, RedisLink } from './redis-link.ts';
import { GIVE_BACK, GRANT, MERGE, type Script } from './redis-scripts.ts';
import type { ShareCounters } from './share-counters.ts';
import { type UnmergedCount, UnmergedCounts } from './unmerged-counts.ts';

/** Silence that nobody waits longer for. */
const TIMEOUT_MS = 50;
/** A long queue that moves is waited for, but not longer than this many times as long. */
const WAIT_FACTOR_MAX = 5;
const PROBE_EVERY_MS = PAUSE_MS_MIN;
/** Silence for this many times as long: the connection is given up and made anew. */
const SILENCE_FACTOR = 20;
const MERGED_AT_ONCE = 500;
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

/**
 * Windows in Redis or Valkey, exact over all nodes that share it: one atomic script for each check.
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
  readonly #unmerged = new UnmergedCounts();
  readonly #offset = new ClockOffset();
  readonly #timeoutMs: number;
  #breaker: Breaker;
  #probing: NodeJS.Timeout | undefined;
  #merging: Promise<void> | null = null;
  #heardAt = 0;
  /** Checks answered from this node's share. */
  apart = 0;
  /** Checks that Redis did not answer, or not in time. */
  failures = 0;

  constructor(parts: RedisCountersParts) {
    this.#parts = parts;
    this.#timeoutMs = parts.timeoutMs ?? TIMEOUT_MS;
    this.#breaker = openBreaker(performance.now());
    this.#link = new RedisLink({
      url: parts.url,
      scripts: [GRANT, GIVE_BACK, MERGE],
      onUp: () => this.#up(),
      onDown: (error) => {
        this.#move(lost(this.#breaker, performance.now()), error);
        if (this.#heardAt === 0) parts.onAway(error);
      },
    });
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
    return this.#grant({ id: '', group, limit, ttlMs, amount: 1 }, now, asTaken);
  }

  lease(request: LeaseRequest, now: number): Leased | Promise<Leased> {
    return this.#grant(request, now, asItIs);
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
    return this.#inTime(this.#run(GIVE_BACK, group, [id, String(unused)]), {
      read: (reply) => reply as number,
      otherwise: () => 0,
      late: () => {},
    });
  }

  #grant<T>(request: LeaseRequest, now: number, as: (leased: Leased) => T): T | Promise<T> {
    if (!this.isTogether || this.#link.inFlight >= IN_FLIGHT_MAX)
      return as(this.#apart(request, now));
    const { id, group, limit, ttlMs, amount } = request;
    if (this.#unmerged.size > 0) this.#mergeAhead(group, now);
    const asked = this.#run(GRANT, group, [String(limit), String(ttlMs), String(amount), id]);
    return this.#inTime(asked, {
      read: (reply) => as(this.#granted(reply, now)),
      otherwise: () => as(this.#apart(request, now)),
      // Answered from the share already: what Redis counted for it is not counted twice.
      late: (reply) => {
        const { granted, resetAt } = this.#granted(reply, now);
        this.#unmerged.add(group, -granted, resetAt, now);
      },
    });
  }

  #granted(reply: unknown, now: number): Leased {
    const [granted, consumed, resetAt, redisNow] = reply as [number, number, number, number];
    this.#offset.observe(now, redisNow);
    return { granted, consumed, resetAt: this.#offset.toHere(resetAt) };
  }

  #apart(request: LeaseRequest, now: number): Leased {
    this.apart++;
    const { share } = this.#parts;
    const { group, limit, ttlMs } = request;
    const leased =
      request.id === ''
        ? asLeased(share.take(group, limit, ttlMs, now))
        : share.lease(request, now);
    this.#unmerged.add(group, leased.granted, leased.resetAt, now);
    return leased;
  }

  /**
   * The answer as it is read, or `otherwise` when Redis is silent for too long; an answer that comes
   * after that goes to `late`. The event loop may have been held up itself: what lies ready is read first.
   */
  #inTime<T>(
    answer: Promise<unknown>,
    {
      read,
      otherwise,
      late,
    }: { read: (reply: unknown) => T; otherwise: () => T; late: (reply: unknown) => void },
  ): Promise<T> {
    return new Promise((resolve) => {
      const sentAt = performance.now();
      let isOver = false;
      const giveUp = (error: Error) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        this.failures++;
        this.#move(failed(this.#breaker, performance.now()), error);
        resolve(otherwise());
      };
      const look = () => {
        if (isOver) return;
        const now = performance.now();
        const silentMs = now - Math.max(sentAt, this.#heardAt);
        if (silentMs >= this.#timeoutMs || now - sentAt >= WAIT_FACTOR_MAX * this.#timeoutMs)
          giveUp(new Error('Redis did not answer in time.'));
        else timer = setTimeout(() => nextTurn(look), this.#timeoutMs - silentMs);
      };
      let timer = setTimeout(() => nextTurn(look), this.#timeoutMs);
      answer.then((reply) => {
        this.#heardAt = performance.now();
        if (isOver) return late(reply);
        isOver = true;
        clearTimeout(timer);
        this.#breaker = answered(this.#breaker);
        resolve(read(reply));
      }, giveUp);
    });
  }

  #run({ sha, text }: Script, group: string, args: readonly string[]): Promise<unknown> {
    // The braces are the hash tag: in a Redis Cluster the groups spread over all slots.
    const rest = ['1', `${this.#parts.prefix}:{${group}}`, ...args];
    return this.#link.send(['EVALSHA', sha, ...rest]).catch((error: Error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return this.#link.send(['EVAL', text, ...rest]);
    });
  }

  #up(): void {
    this.#heardAt = performance.now();
    this.#move(probeAnswered(this.#breaker, this.#heardAt));
  }

  /** Also while all is well: a connection that went silent is found before a check waits for it. */
  #probe(): void {
    if (!this.#link.isUp) return;
    this.#merge();
    const isSilent = () => performance.now() - this.#heardAt > SILENCE_FACTOR * this.#timeoutMs;
    // Looked at once more when what lies ready has been read: we may have been held up ourselves.
    if (isSilent()) nextTurn(() => isSilent() && this.#link.drop('Redis went silent.'));
    const sentAt = performance.now();
    this.#link.send(['PING']).then(
      () => {
        this.#heardAt = performance.now();
        if (this.#heardAt - sentAt <= this.#timeoutMs)
          this.#move(probeAnswered(this.#breaker, this.#heardAt));
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
      await this.#run(MERGE, group, [String(amount), String(leftMs)]);
      return true;
    } catch {
      this.#unmerged.add(group, amount, resetAt, now);
      return false;
    }
  }
}

const asTaken = ({ granted, consumed, resetAt }: Leased): Taken => ({
  allowed: granted > 0,
  consumed,
  resetAt,
});

const asItIs = (leased: Leased): Leased => leased;

const asLeased = ({ allowed, consumed, resetAt }: Taken): Leased => ({
  granted: allowed ? 1 : 0,
  consumed,
  resetAt,
});
