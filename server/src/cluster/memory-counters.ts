import type { Leased, LeaseRequest, LocalCounters, OpenWindow, Taken } from './counters.ts';
import { CODE_WORDS, encodeGroup, hashCode } from './memory-group-code.ts';
import { MemoryLeases } from './memory-leases.ts';
import { WindowSegment } from './memory-segment.ts';

/** Growing moves one segment, 1/256 of the windows: 4,000 of a million, well under a millisecond. */
const SEGMENTS = 256;
/** One segment is looked at for shrinking this often, all of them in 26 s. */
const SHRINK_EVERY_MS = 100;
/** A request may carry a `now` read this long before that of another; more is a clock set back. */
const STEP_BACK_MS = 1000;
/** The longest `rateLimitTtl`: what a window loaded under a clock that was set back is cut to. */
const LONGEST_WINDOW_MS = 31 * 24 * 3600 * 1000;

/**
 * Exact windows in the memory of this process.
 *
 * Time inside never runs backwards. A `now` a little behind the last one is a request that waited
 * and counts as the last one. A `now` more than a second behind is a clock that was set back: from
 * then on the difference is added, so that every open window keeps the time it had left. Otherwise
 * setting the clock back an hour would keep a spent key refused for an hour. A clock set forward
 * cannot be told from a pause, and closes windows early. So a window may be cut short by the clock
 * but does not outlast its length (by more than that second, when a step back is smaller than it).
 */
export class MemoryCounters implements LocalCounters {
  readonly #segments = Array.from({ length: SEGMENTS }, () => new WindowSegment());
  readonly #code = new Uint32Array(CODE_WORDS);
  readonly #leases = new MemoryLeases();
  #time = Number.NEGATIVE_INFINITY;
  #setBack = 0;
  #shrunkAt = Number.NEGATIVE_INFINITY;
  #shrinkNext = 0;

  take(group: string, limit: number, ttlMs: number, now: number): Taken {
    const time = this.#settle(now);
    if (time - this.#shrunkAt >= SHRINK_EVERY_MS) this.#shrinkOne(time);
    encodeGroup(group, this.#code);
    const hash = hashCode(this.#code, 0);
    const segment = this.#segments[hash >>> 24]!;
    const slot = segment.slotOf(this.#code, hash, time);
    if (segment.resetAt(slot) <= time) segment.open(slot, time + ttlMs);
    const count = segment.count(slot);
    const allowed = count < limit;
    return {
      allowed,
      consumed: allowed ? segment.add(slot, 1) : count,
      resetAt: segment.resetAt(slot) - this.#setBack,
    };
  }

  lease({ id, group, limit, ttlMs, amount }: LeaseRequest, now: number): Leased {
    const time = this.#settle(now);
    encodeGroup(group, this.#code);
    const hash = hashCode(this.#code, 0);
    const segment = this.#segments[hash >>> 24]!;
    const slot = segment.slotOf(this.#code, hash, time);
    if (segment.resetAt(slot) <= time) segment.open(slot, time + ttlMs);
    const closesAt = segment.resetAt(slot);
    const granted = Math.min(amount, Math.max(0, limit - segment.count(slot)));
    if (granted > 0) this.#leases.add(id, { group, closesAt, granted }, time);
    return { granted, consumed: segment.add(slot, granted), resetAt: closesAt - this.#setBack };
  }

  giveBack(id: string, group: string, unused: number, now: number): number {
    const lease = this.#leases.take(id, group);
    if (lease === undefined) return 0;
    const time = this.#settle(now);
    encodeGroup(group, this.#code);
    const hash = hashCode(this.#code, 0);
    const segment = this.#segments[hash >>> 24]!;
    const slot = segment.slotOf(this.#code, hash, time);
    // Windows of a group never close at the same moment: this tells the lease's own from a later one.
    if (lease.closesAt <= time || segment.resetAt(slot) !== lease.closesAt) return 0;
    const returned = Math.min(unused, lease.granted, segment.count(slot));
    segment.add(slot, -returned);
    return returned;
  }

  *entries(now: number): Generator<OpenWindow> {
    for (const segment of this.#segments) {
      const open: OpenWindow[] = [];
      segment.forEachOpen(this.#settle(now), (group, resetAt, consumed) => {
        open.push({ group, resetAt: resetAt - this.#setBack, consumed });
      });
      yield* open;
    }
  }

  load(windows: Iterable<OpenWindow>, now: number): void {
    const time = this.#settle(now);
    for (const { group, resetAt, consumed } of windows) {
      const closesAt = Math.min(resetAt + this.#setBack, time + LONGEST_WINDOW_MS);
      if (closesAt <= time) continue;
      encodeGroup(group, this.#code);
      const hash = hashCode(this.#code, 0);
      const segment = this.#segments[hash >>> 24]!;
      const slot = segment.slotOf(this.#code, hash, time);
      if (segment.resetAt(slot) <= time) segment.open(slot, closesAt);
      segment.add(slot, consumed);
    }
  }

  get size(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.used, 0);
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  #settle(now: number): number {
    const time = now + this.#setBack;
    if (time >= this.#time) this.#time = time;
    else if (this.#time - time > STEP_BACK_MS) this.#setBack = this.#time - now;
    return this.#time;
  }

  #shrinkOne(time: number): void {
    this.#shrunkAt = time;
    this.#segments[this.#shrinkNext]!.shrink(time);
    this.#shrinkNext = (this.#shrinkNext + 1) % SEGMENTS;
  }
}
