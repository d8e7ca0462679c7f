const BITS_A_PAGE = 2 ** 16;

/** Which numbers of the log have a seal, a bit each: ten million rows take little over a megabyte. */
export class SealedRows {
  readonly #pages = new Map<number, Uint8Array>();
  #highest = 0;

  get highest(): number {
    return this.#highest;
  }

  add(seq: number): void {
    const page = Math.floor(seq / BITS_A_PAGE);
    const bit = seq - page * BITS_A_PAGE;
    let bits = this.#pages.get(page);
    if (bits === undefined) {
      bits = new Uint8Array(BITS_A_PAGE / 8);
      this.#pages.set(page, bits);
    }
    bits[bit >>> 3]! |= 1 << (bit & 7);
    this.#highest = Math.max(this.#highest, seq);
  }

  has(seq: number): boolean {
    const page = Math.floor(seq / BITS_A_PAGE);
    const bit = seq - page * BITS_A_PAGE;
    const bits = this.#pages.get(page);
    return bits !== undefined && (bits[bit >>> 3]! & (1 << (bit & 7))) !== 0;
  }
}
