const WORDS = 8;
const SLOTS_MIN = 1_024;

/**
 * What was put in under a digest of eight words. Open addressing over two arrays: a look-up reads
 * one line of memory for the digest and one for the item, where a Map would hash a text first.
 * Nothing is taken out: its owner starts a new one.
 */
export class DigestTable<Item> {
  #digests = new Int32Array(WORDS * SLOTS_MIN);
  #items: (Item | undefined)[] = emptySlots(SLOTS_MIN);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(digest: Int32Array): Item | undefined {
    return this.#items[this.#slotOf(digest)];
  }

  set(digest: Int32Array, item: Item): void {
    const slot = this.#slotOf(digest);
    if (this.#items[slot] === undefined) {
      this.#size++;
      this.#digests.set(digest, slot * WORDS);
    }
    this.#items[slot] = item;
    if (this.#size * 2 > this.#items.length) this.#grow();
  }

  /** Where it is, or would be: a digest is random, and so good as a number. */
  #slotOf(digest: Int32Array): number {
    const last = this.#items.length - 1;
    let slot = digest[0]! & last;
    while (this.#items[slot] !== undefined && !this.#isAt(slot, digest)) slot = (slot + 1) & last;
    return slot;
  }

  #isAt(slot: number, digest: Int32Array): boolean {
    const digests = this.#digests;
    const start = slot * WORDS;
    for (let n = 0; n < WORDS; n++) if (digests[start + n] !== digest[n]) return false;
    return true;
  }

  #grow(): void {
    const digests = this.#digests;
    const items = this.#items;
    this.#digests = new Int32Array(digests.length * 2);
    this.#items = emptySlots(items.length * 2);
    for (const [slot, item] of items.entries()) {
      if (item === undefined) continue;
      const digest = digests.subarray(slot * WORDS, (slot + 1) * WORDS);
      const place = this.#slotOf(digest);
      this.#digests.set(digest, place * WORDS);
      this.#items[place] = item;
    }
  }
}

/** Filled, so that the engine keeps it as one piece without holes. */
const emptySlots = (count: number): undefined[] => new Array<undefined>(count).fill(undefined);
