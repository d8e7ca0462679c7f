const FIRST_SIZE = 2 ** 14;

/**
 * The first line of each value, by 64 bits of its SHA-256. Takes 24 to 48 bytes per value: about
 * 25 MB for a file of a million. The probability of a collision among a million values is 1 in 37
 * million; the second value would be reported as a duplicate, not silently lost.
 */
export class SeenValues {
  #high = new Uint32Array(FIRST_SIZE);
  #low = new Uint32Array(FIRST_SIZE);
  /** 0: the slot is free. */
  #lines = new Uint32Array(FIRST_SIZE);
  #count = 0;

  /** Returns the line of the first value with this digest, or null if this is the first. */
  firstLine(digest: Uint8Array, line: number): number | null {
    if (this.#count * 2 > this.#lines.length) this.#grow();
    const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
    const high = view.getUint32(0);
    const low = view.getUint32(4);
    const slot = this.#find(high, low);
    if (this.#lines[slot] !== 0) return this.#lines[slot]!;
    this.#put(slot, high, low, line);
    this.#count++;
    return null;
  }

  #find(high: number, low: number): number {
    const mask = this.#lines.length - 1;
    let slot = low & mask;
    while (this.#lines[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low))
      slot = (slot + 1) & mask;
    return slot;
  }

  #put(slot: number, high: number, low: number, line: number): void {
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#lines[slot] = line;
  }

  #grow(): void {
    const [high, low, lines] = [this.#high, this.#low, this.#lines];
    this.#high = new Uint32Array(lines.length * 2);
    this.#low = new Uint32Array(lines.length * 2);
    this.#lines = new Uint32Array(lines.length * 2);
    for (let n = 0; n < lines.length; n++)
      if (lines[n] !== 0) this.#put(this.#find(high[n]!, low[n]!), high[n]!, low[n]!, lines[n]!);
  }
}
