/** One for each value of the first byte of a digest: growing one copies only its own entries. */
const SHARDS = 256;
/** Two words of the digest, and the line. */
const WORDS_PER_SLOT = 3;
const FIRST_SLOTS = 64;

/**
 * The lines of digests that were seen before. A `Map` needs over 100 bytes for each entry, and so 683 MB of
 * memory for two million rows; this table needs about 20 bytes. It compares 64 bits beyond the shard: among two
 * million different values, two look equal in one of 3 × 10⁹ files.
 */
export class DigestTable {
  readonly #shards = new Array<Shard | undefined>(SHARDS);
  size = 0;

  get bytes(): number {
    return this.#shards.reduce((sum, shard) => sum + (shard?.bytes ?? 0), 0);
  }

  /** The line of an equal digest that was added before, or 0. `digest` must be random, like a hash. */
  find(digest: Buffer): number {
    return this.#shards[digest[0]!]?.find(digest.readUInt32LE(1), digest.readUInt32LE(5)) ?? 0;
  }

  /** Adds a digest that is not in the table. `line` is at least 1. */
  add(digest: Buffer, line: number): void {
    this.#shards[digest[0]!] ??= new Shard();
    this.#shards[digest[0]!]!.add(digest.readUInt32LE(1), digest.readUInt32LE(5), line);
    this.size++;
  }
}

/** A hash table with linear probing, at most three quarters full. */
class Shard {
  #slots = FIRST_SLOTS;
  #words = new Uint32Array(FIRST_SLOTS * WORDS_PER_SLOT);
  #size = 0;

  get bytes(): number {
    return this.#words.byteLength;
  }

  find(first: number, second: number): number {
    return this.#words[this.#slotOf(first, second) + 2]!;
  }

  add(first: number, second: number, line: number): void {
    if (this.#size >= this.#slots * 0.75) this.#grow();
    this.#words.set([first, second, line], this.#slotOf(first, second));
    this.#size++;
  }

  /** Where the words of this digest begin, or the free slot for it: its line is 0. */
  #slotOf(first: number, second: number): number {
    const words = this.#words;
    for (let slot = first % this.#slots; ; slot = (slot + 1) % this.#slots) {
      const at = slot * WORDS_PER_SLOT;
      const isFree = words[at + 2] === 0;
      if (isFree || (words[at] === first && words[at + 1] === second)) return at;
    }
  }

  #grow(): void {
    const old = this.#words;
    // Not doubled: on average, a third of the slots would be free for nothing.
    this.#slots = Math.ceil(this.#slots * 1.3);
    this.#words = new Uint32Array(this.#slots * WORDS_PER_SLOT);
    for (let at = 0; at < old.length; at += WORDS_PER_SLOT)
      if (old[at + 2] !== 0)
        this.#words.set(
          old.subarray(at, at + WORDS_PER_SLOT),
          this.#slotOf(old[at]!, old[at + 1]!),
        );
    // Frees the memory at once. Until the next garbage collection, it would add up to 100 MB.
    old.buffer.transfer(0);
  }
}
