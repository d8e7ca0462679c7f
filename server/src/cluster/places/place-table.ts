import type { Places } from '../coherent-cache.ts';

/** Where an entry stands: 128 bits that nobody outside can foresee. `d` is never 0. */
export interface Place {
  a: number;
  b: number;
  c: number;
  d: number;
}

/** Growing moves one part, a 64th of the entries: a millisecond for a million of them. */
const PARTS_BITS = 6;
const MIN_SLOTS = 8;
const MAX_LOAD = 0.75;
const WORDS = 4;

/**
 * Entries by their places, by open addressing. A Map would want a text of each place, made and
 * hashed again for each look-up: 0.5 µs, against 0.1 here.
 */
export class PlaceTable<E> {
  readonly #parts = Array.from({ length: 1 << PARTS_BITS }, () => new Part<E>());
  size = 0;

  get(place: Place): E | undefined {
    return this.#part(place).get(place);
  }

  set(place: Place, entry: E): void {
    if (this.#part(place).set(place, entry)) this.size++;
  }

  delete(place: Place): void {
    if (this.#part(place).delete(place)) this.size--;
  }

  #part(place: Place): Part<E> {
    return this.#parts[place.a >>> (32 - PARTS_BITS)]!;
  }
}

export const byPlace = <E>(): Places<Place, E> => ({
  newTable: () => new PlaceTable(),
  textOf: ({ a, b, c, d }) => `${a} ${b} ${c} ${d}`,
});

class Part<E> {
  /** The four words of each slot's place; the last is 0 where the slot is free. */
  #words = new Int32Array(MIN_SLOTS * WORDS);
  #entries: (E | undefined)[] = new Array(MIN_SLOTS).fill(undefined);
  #mask = MIN_SLOTS - 1;
  #used = 0;

  get(place: Place): E | undefined {
    return this.#entries[this.#slotOf(place)];
  }

  /** True: there was none at this place. */
  set(place: Place, entry: E): boolean {
    let slot = this.#slotOf(place);
    const isNew = this.#isFree(slot);
    if (isNew) {
      if (this.#used + 1 > (this.#mask + 1) * MAX_LOAD) {
        this.#grow();
        slot = this.#slotOf(place);
      }
      this.#used++;
      this.#words.set([place.a, place.b, place.c, place.d], slot * WORDS);
    }
    this.#entries[slot] = entry;
    return isNew;
  }

  /** Those behind it move up, so that none is cut off from where it is looked for. */
  delete(place: Place): boolean {
    let gap = this.#slotOf(place);
    if (this.#isFree(gap)) return false;
    const mask = this.#mask;
    for (let slot = (gap + 1) & mask; !this.#isFree(slot); slot = (slot + 1) & mask) {
      const home = this.#words[slot * WORDS + 1]! & mask;
      if (((slot - home) & mask) < ((slot - gap) & mask)) continue;
      this.#words.copyWithin(gap * WORDS, slot * WORDS, (slot + 1) * WORDS);
      this.#entries[gap] = this.#entries[slot];
      gap = slot;
    }
    this.#words[gap * WORDS + 3] = 0;
    this.#entries[gap] = undefined;
    this.#used--;
    return true;
  }

  #isFree(slot: number): boolean {
    return this.#words[slot * WORDS + 3] === 0;
  }

  /** Where it stands, or the free slot where it would. */
  #slotOf(place: Place): number {
    const words = this.#words;
    const mask = this.#mask;
    for (let slot = place.b & mask; ; slot = (slot + 1) & mask) {
      const at = slot * WORDS;
      const last = words[at + 3];
      if (last === 0) return slot;
      if (
        last === place.d &&
        words[at + 2] === place.c &&
        words[at + 1] === place.b &&
        words[at] === place.a
      )
        return slot;
    }
  }

  #grow(): void {
    const { length } = this.#entries;
    const [words, entries] = [this.#words, this.#entries];
    this.#words = new Int32Array(words.length * 2);
    this.#entries = new Array(length * 2).fill(undefined);
    this.#mask = length * 2 - 1;
    for (let from = 0; from < length; from++) {
      const at = from * WORDS;
      if (words[at + 3] === 0) continue;
      let slot = words[at + 1]! & this.#mask;
      while (!this.#isFree(slot)) slot = (slot + 1) & this.#mask;
      this.#words.set(words.subarray(at, at + WORDS), slot * WORDS);
      this.#entries[slot] = entries[from];
    }
  }
}
