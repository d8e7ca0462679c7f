import type {
  GroupWords,
  Leased,
  LeaseRequest,
  LocalCounters,
  OpenWindow,
  Taken,
} from './counters.ts';
import { CODE_WORDS, copyWords, encodeGroup, hashCode } from './group-code.ts';
import { MemoryLeases } from './memory-leases.ts';
import type { WindowSegment } from './memory-segment.ts';
import type { WindowClock } from './window-clock.ts';

/** Growing moves one segment, 1/256 of the windows: 4,000 of a million, well under a millisecond. */
export const SEGMENTS = 256;
/** One segment is looked at for shrinking this often, all of them in 26 s. */
const SHRINK_EVERY_MS = 100;
/** The longest `rateLimitTtl`: what a window loaded under a clock that was set back is cut to. */
const LONGEST_WINDOW_MS = 31 * 24 * 3600 * 1000;

/** Where the windows are: in the memory of one thread, or of several. */
export interface Segments {
  readonly clock: WindowClock;
  /** One of the segments, for this thread alone until it leaves. */
  enter(n: number): WindowSegment;
  leave(n: number): void;
  /** Without entering it: what it tells may be of the past. */
  glance(n: number): WindowSegment;
}

/** Exact windows in memory, whoever else may look at them. Leases are remembered where they were given. */
export class SegmentedCounters implements LocalCounters {
  readonly #segments: Segments;
  readonly #clock: WindowClock;
  readonly #code = new Uint32Array(CODE_WORDS);
  readonly #leases = new MemoryLeases();
  #shrunkAt = Number.NEGATIVE_INFINITY;
  #shrinkNext = 0;

  constructor(segments: Segments) {
    this.#segments = segments;
    this.#clock = segments.clock;
  }

  take(group: string, limit: number, ttlMs: number, now: number, words?: GroupWords): Taken {
    const time = this.#clock.settle(now);
    if (time - this.#shrunkAt >= SHRINK_EVERY_MS) this.#shrinkOne(time);
    if (words === undefined) encodeGroup(group, this.#code);
    else copyWords(words, this.#code);
    const hash = words?.spread ?? hashCode(this.#code, 0);
    const segment = this.#segments.enter(hash >>> 24);
    const slot = segment.slotOf(this.#code, hash, time);
    if (segment.resetAt(slot) <= time) segment.open(slot, time + ttlMs);
    const count = segment.count(slot);
    const allowed = count < limit;
    const consumed = allowed ? segment.add(slot, 1) : count;
    const resetAt = segment.resetAt(slot) - this.#clock.setBack;
    this.#segments.leave(hash >>> 24);
    return { allowed, consumed, resetAt };
  }

  fetch({ spread }: GroupWords): number {
    return this.#segments.glance(spread >>> 24).fetch(spread);
  }

  lease({ id, group, limit, ttlMs, amount }: LeaseRequest, now: number): Leased {
    const time = this.#clock.settle(now);
    encodeGroup(group, this.#code);
    const hash = hashCode(this.#code, 0);
    const segment = this.#segments.enter(hash >>> 24);
    const slot = segment.slotOf(this.#code, hash, time);
    if (segment.resetAt(slot) <= time) segment.open(slot, time + ttlMs);
    const closesAt = segment.resetAt(slot);
    const granted = Math.min(amount, Math.max(0, limit - segment.count(slot)));
    const consumed = segment.add(slot, granted);
    this.#segments.leave(hash >>> 24);
    if (granted > 0) this.#leases.add(id, { group, closesAt, granted }, time);
    return { granted, consumed, resetAt: closesAt - this.#clock.setBack };
  }

  giveBack(id: string, group: string, unused: number, now: number): number {
    const lease = this.#leases.take(id, group);
    if (lease === undefined) return 0;
    const time = this.#clock.settle(now);
    encodeGroup(group, this.#code);
    const hash = hashCode(this.#code, 0);
    const segment = this.#segments.enter(hash >>> 24);
    const slot = segment.slotOf(this.#code, hash, time);
    // Windows of a group never close at the same moment: this tells the lease's own from a later one.
    const isSame = lease.closesAt > time && segment.resetAt(slot) === lease.closesAt;
    const returned = isSame ? Math.min(unused, lease.granted, segment.count(slot)) : 0;
    segment.add(slot, -returned);
    this.#segments.leave(hash >>> 24);
    return returned;
  }

  *entries(now: number): Generator<OpenWindow> {
    for (let n = 0; n < SEGMENTS; n += 1) {
      const open: OpenWindow[] = [];
      const time = this.#clock.settle(now);
      this.#segments.enter(n).forEachOpen(time, (group, resetAt, consumed) => {
        open.push({ group, resetAt: resetAt - this.#clock.setBack, consumed });
      });
      this.#segments.leave(n);
      yield* open;
    }
  }

  load(windows: Iterable<OpenWindow>, now: number): void {
    const time = this.#clock.settle(now);
    for (const { group, resetAt, consumed } of windows) {
      const closesAt = Math.min(resetAt + this.#clock.setBack, time + LONGEST_WINDOW_MS);
      if (closesAt <= time) continue;
      encodeGroup(group, this.#code);
      const hash = hashCode(this.#code, 0);
      const segment = this.#segments.enter(hash >>> 24);
      const slot = segment.slotOf(this.#code, hash, time);
      if (segment.resetAt(slot) <= time) segment.open(slot, closesAt);
      segment.add(slot, consumed);
      this.#segments.leave(hash >>> 24);
    }
  }

  get size(): number {
    return this.#sum((segment) => segment.used);
  }

  get bytes(): number {
    return this.#sum((segment) => segment.bytes);
  }

  /** Open windows that had to make room for others: only where memory is bounded, and full. */
  get evicted(): number {
    return this.#sum((segment) => segment.evicted);
  }

  #sum(figure: (segment: WindowSegment) => number): number {
    let sum = 0;
    for (let n = 0; n < SEGMENTS; n += 1) {
      sum += figure(this.#segments.enter(n));
      this.#segments.leave(n);
    }
    return sum;
  }

  #shrinkOne(time: number): void {
    this.#shrunkAt = time;
    this.#segments.enter(this.#shrinkNext).shrink(time);
    this.#segments.leave(this.#shrinkNext);
    this.#shrinkNext = (this.#shrinkNext + 1) % SEGMENTS;
  }
}
