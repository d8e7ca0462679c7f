import { decodeGroup, hashCode } from './group-code.ts';

/**
 * One part of the table of windows: open addressing in one buffer, 32 bytes a slot, so that a
 * window costs one cache line and the collector nothing.
 *
 *   word 0–4  the group (word 4 is 0: the slot was never used)
 *   word 5    the count
 *   word 6–7  when the window closes, a float of 64 bits
 *
 * A slot is free, open or closed. free → open when a window needs it; open → closed by the passing
 * of time alone; closed → open when its group, or any other that meets it on its way, needs a slot.
 * Only a rehash makes closed slots free again, and it never leaves an open one behind.
 *
 * Fuller than 3/4 it is rehashed to the smallest size at most 65 % full. So right after it has
 * grown it is at least 32.5 % full: never more than 99 bytes for an open window.
 *
 * Where memory is bounded and all of it is open windows, those that close first make room: some at
 * once, since it takes a look at all of them.
 */
export const SLOT_WORDS = 8;
const COUNT = 5;
export const MIN_SLOTS = 8;
const MAX_LOAD = 0.75;
const LOAD_AFTER_REHASH = 0.65;
const SHRINK_BELOW = 1 / 8;
const MAX_COUNT = 0xffff_ffff;
/** The part of the open windows that makes room when all memory is taken. */
const EVICTED_PART = 1 / 16;

/** Where a segment's slots are: zeroed memory for so many of them. */
export interface SlotMemory {
  readonly slotsMax: number;
  slots(count: number): Uint32Array;
}

const HEAP: SlotMemory = {
  slotsMax: Number.POSITIVE_INFINITY,
  slots: (count) => new Uint32Array(count * SLOT_WORDS),
};

export class WindowSegment {
  readonly #memory: SlotMemory;
  #words: Uint32Array;
  #times: Float64Array;
  #mask = MIN_SLOTS - 1;
  #used = 0;
  /** Open windows that had to make room. */
  evicted = 0;

  constructor(memory: SlotMemory = HEAP, words = memory.slots(MIN_SLOTS)) {
    this.#memory = memory;
    this.#words = words;
    this.#times = timesOf(words);
  }

  get used(): number {
    return this.#used;
  }

  get slots(): number {
    return this.#mask + 1;
  }

  /** Looks at slots that another thread may have changed or moved since. */
  adopt(words: Uint32Array, times: Float64Array, used: number, evicted: number): void {
    this.#words = words;
    this.#times = times;
    this.#mask = words.length / SLOT_WORDS - 1;
    this.#used = used;
    this.evicted = evicted;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  /** The slot of this group; a new one is closed (it reset at 0) until `open` is called. */
  slotOf(code: Uint32Array, hash: number, time: number): number {
    const words = this.#words;
    let closed = -1;
    let slot = hash & this.#mask;
    for (; ; slot = (slot + 1) & this.#mask) {
      const at = slot * SLOT_WORDS;
      const tail = words[at + 4]!;
      if (tail === 0) break;
      if (
        tail === code[4] &&
        words[at + 3] === code[3] &&
        words[at + 2] === code[2] &&
        words[at + 1] === code[1] &&
        words[at] === code[0]
      ) {
        return slot;
      }
      if (closed < 0 && this.resetAt(slot) <= time) closed = slot;
    }
    if (closed >= 0) return this.#claim(closed, code);
    if (this.#used + 1 > (this.#mask + 1) * MAX_LOAD) {
      const needed = this.#openSlots(time) + 1;
      if (needed > this.#memory.slotsMax * MAX_LOAD) this.#evict(time);
      this.#rehash(time, needed);
      return this.slotOf(code, hash, time);
    }
    this.#used += 1;
    return this.#claim(slot, code);
  }

  /** Reads where a group with this hash most likely stands. */
  fetch(hash: number): number {
    return this.#words[(hash & this.#mask) * SLOT_WORDS]!;
  }

  resetAt(slot: number): number {
    return this.#times[slot * 4 + 3]!;
  }

  count(slot: number): number {
    return this.#words[slot * SLOT_WORDS + COUNT]!;
  }

  open(slot: number, resetAt: number): void {
    this.#words[slot * SLOT_WORDS + COUNT] = 0;
    this.#times[slot * 4 + 3] = resetAt;
  }

  /** A count stops at 2³² − 1: 1,600 requests a second through the longest window of 31 days. */
  add(slot: number, amount: number): number {
    const count = Math.min(this.count(slot) + amount, MAX_COUNT);
    this.#words[slot * SLOT_WORDS + COUNT] = count;
    return count;
  }

  /** The open windows, read in one go: `visit` may not change the table. */
  forEachOpen(
    time: number,
    visit: (group: string, resetAt: number, consumed: number) => void,
  ): void {
    for (let slot = 0; slot <= this.#mask; slot += 1) {
      if (this.resetAt(slot) <= time) continue;
      visit(decodeGroup(this.#words, slot * SLOT_WORDS), this.resetAt(slot), this.count(slot));
    }
  }

  /** Gives memory back when few of the slots are open. */
  shrink(time: number): void {
    const slots = this.#mask + 1;
    if (slots <= MIN_SLOTS) return;
    const open = this.#openSlots(time);
    if (open < slots * SHRINK_BELOW) this.#rehash(time, open);
  }

  #claim(slot: number, code: Uint32Array): number {
    this.#words.set(code, slot * SLOT_WORDS);
    this.open(slot, 0);
    return slot;
  }

  #openSlots(time: number): number {
    let open = 0;
    for (let slot = 0; slot <= this.#mask; slot += 1) if (this.resetAt(slot) > time) open += 1;
    return open;
  }

  #rehash(time: number, needed: number): void {
    let slots = MIN_SLOTS;
    while (needed > slots * LOAD_AFTER_REHASH && slots < this.#memory.slotsMax) slots *= 2;
    // Memory of the same size may be the very same.
    const old = slots === this.slots ? this.#words.slice() : this.#words;
    const oldTimes = timesOf(old);
    this.#words = this.#memory.slots(slots);
    this.#times = timesOf(this.#words);
    this.#mask = slots - 1;
    this.#used = 0;
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      if (oldTimes[at / 2 + 3]! > time) this.#move(old, at);
    }
  }

  #evict(time: number): void {
    const closing = this.#times.filter((resetAt, at) => at % 4 === 3 && resetAt > time).sort();
    const last = closing[Math.floor(closing.length * EVICTED_PART)]!;
    for (let at = 3; at < this.#times.length; at += 4) {
      const resetAt = this.#times[at]!;
      if (resetAt <= time || resetAt > last) continue;
      this.#times[at] = 0;
      this.evicted += 1;
    }
  }

  #move(from: Uint32Array, at: number): void {
    let slot = hashCode(from, at) & this.#mask;
    while (this.#words[slot * SLOT_WORDS + 4] !== 0) slot = (slot + 1) & this.#mask;
    const to = slot * SLOT_WORDS;
    for (let word = 0; word < SLOT_WORDS; word += 1) this.#words[to + word] = from[at + word]!;
    this.#used += 1;
  }
}

const timesOf = (words: Uint32Array): Float64Array =>
  new Float64Array(words.buffer, words.byteOffset, words.length / 2);
