const FIRST_SIZE = 2 ** 14;

/**
 * At which line a value was first seen, by 64 bits of its SHA-256: 24 bytes a value at most, so that a
 * file of a million takes some 24 MB. That two of a million differ and look alike here has a chance
 * of 1 in 30 million; the second would be told as a duplicate, and not be lost in silence.
 */
export class SeenValues {
  #high = new Uint32Array(FIRST_SIZE);
  #low = new Uint32Array(FIRST_SIZE);
  /** 0: the place is free. */
  #lines = new Uint32Array(FIRST_SIZE);
  #count = 0;

  /** The line of the first with this digest, or null: then this is the first. */
  firstLine(digest: Uint8Array, line: number): number | null {
    if (this.#count * 2 > this.#lines.length) this.#grow();
    const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
    const high = view.getUint32(0);
    const low = view.getUint32(4);
    const place = this.#find(high, low);
    if (this.#lines[place] !== 0) return this.#lines[place]!;
    this.#put(place, high, low, line);
    this.#count++;
    return null;
  }

  #find(high: number, low: number): number {
    const mask = this.#lines.length - 1;
    let place = low & mask;
    while (this.#lines[place] !== 0 && (this.#high[place] !== high || this.#low[place] !== low))
      place = (place + 1) & mask;
    return place;
  }

  #put(place: number, high: number, low: number, line: number): void {
    this.#high[place] = high;
    this.#low[place] = low;
    this.#lines[place] = line;
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
