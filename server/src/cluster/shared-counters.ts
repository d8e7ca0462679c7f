import { MIN_SLOTS, SLOT_WORDS, type SlotMemory, WindowSegment } from './memory-segment.ts';
import { SEGMENTS, SegmentedCounters, type Segments } from './segmented-counters.ts';
import { lock, unlock } from './shared-lock.ts';
import { SharedWindowClock } from './shared-window-clock.ts';

/**
 * Where everything stands in the shared memory: the clock, then for each segment four words (lock,
 * slots, used, evicted), then for each segment a place for every size it may have, smallest first.
 * Memory that was never touched takes no room in the machine, so that places for the largest size
 * cost nothing until they are needed.
 */
const CLOCK_BYTES = 64;
const HEAD_WORDS = 4;
const HEADS_BYTES = SEGMENTS * HEAD_WORDS * 4;
const SLOT_BYTES = SLOT_WORDS * 4;
const [LOCK, SLOTS, USED, EVICTED] = [0, 1, 2, 3];

/** Windows that are open at once on one machine; beyond them those that close first make room. */
const WINDOWS_MAX = 4_000_000;
/** As full as a segment gets, less what chance puts into one more than into others. */
const FILLED = 0.7;

const slotsMaxFor = (windows: number): number => {
  let slots = MIN_SLOTS;
  while (slots * SEGMENTS * FILLED < windows) slots *= 2;
  return slots;
};

/** Slots of all sizes up to `slotsMax` together: each is as large as all smaller ones and eight. */
const placeSlots = (slotsMax: number): number => 2 * slotsMax - MIN_SLOTS;

/** Memory for `SharedCounters`, made once and handed to every thread. */
export function sharedWindows(windowsMax = WINDOWS_MAX): SharedArrayBuffer {
  const slots = SEGMENTS * placeSlots(slotsMaxFor(windowsMax));
  const memory = new SharedArrayBuffer(CLOCK_BYTES + HEADS_BYTES + slots * SLOT_BYTES);
  SharedWindowClock.prepare(memory, 0);
  const heads = new Int32Array(memory, CLOCK_BYTES, SEGMENTS * HEAD_WORDS);
  for (let n = 0; n < SEGMENTS; n += 1) heads[n * HEAD_WORDS + SLOTS] = MIN_SLOTS;
  return memory;
}

/** Exact windows for all threads that were given the same memory. */
export class SharedCounters extends SegmentedCounters {
  constructor(memory: SharedArrayBuffer) {
    super(segmentsIn(memory));
  }
}

function segmentsIn(memory: SharedArrayBuffer): Segments {
  const heads = new Int32Array(memory, CLOCK_BYTES, SEGMENTS * HEAD_WORDS);
  const placeBytes = (memory.byteLength - CLOCK_BYTES - HEADS_BYTES) / SEGMENTS;
  const views = Array.from(
    { length: SEGMENTS },
    (_, n) => new SegmentView(memory, CLOCK_BYTES + HEADS_BYTES + n * placeBytes, placeBytes),
  );
  return {
    clock: new SharedWindowClock(memory, 0),
    enter(n) {
      const head = n * HEAD_WORDS;
      lock(heads, head + LOCK);
      return views[n]!.look(heads[head + SLOTS]!, heads[head + USED]!, heads[head + EVICTED]!);
    },
    glance: (n) => views[n]!.segment,
    leave(n) {
      const head = n * HEAD_WORDS;
      const { segment } = views[n]!;
      heads[head + SLOTS] = segment.slots;
      heads[head + USED] = segment.used;
      heads[head + EVICTED] = segment.evicted;
      unlock(heads, head + LOCK);
    },
  };
}

/** One segment as this thread sees it; the arrays over its memory are made once for each size. */
class SegmentView implements SlotMemory {
  readonly slotsMax: number;
  readonly segment: WindowSegment;
  readonly #memory: SharedArrayBuffer;
  readonly #offset: number;
  readonly #sizes = new Map<number, { words: Uint32Array; times: Float64Array }>();

  constructor(memory: SharedArrayBuffer, offset: number, bytes: number) {
    this.#memory = memory;
    this.#offset = offset;
    this.slotsMax = (bytes / SLOT_BYTES + MIN_SLOTS) / 2;
    this.segment = new WindowSegment(this, this.#size(MIN_SLOTS).words);
  }

  look(slots: number, used: number, evicted: number): WindowSegment {
    const { words, times } = this.#size(slots);
    this.segment.adopt(words, times, used, evicted);
    return this.segment;
  }

  slots(count: number): Uint32Array {
    return this.#size(count).words.fill(0);
  }

  #size(slots: number): { words: Uint32Array; times: Float64Array } {
    const known = this.#sizes.get(slots);
    if (known !== undefined) return known;
    const at = this.#offset + (slots - MIN_SLOTS) * SLOT_BYTES;
    const made = {
      words: new Uint32Array(this.#memory, at, slots * SLOT_WORDS),
      times: new Float64Array(this.#memory, at, (slots * SLOT_WORDS) / 2),
    };
    this.#sizes.set(slots, made);
    return made;
  }
}
