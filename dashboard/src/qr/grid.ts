/** The square of a code: which modules are dark, and which of them belong to fixed patterns. */
export class Grid {
  readonly size: number;
  readonly #dark: boolean[];
  readonly #fixed: boolean[];

  constructor(version: number) {
    this.size = version * 4 + 17;
    this.#dark = new Array(this.size ** 2).fill(false);
    this.#fixed = new Array(this.size ** 2).fill(false);
    this.#drawTiming();
    for (const [x, y] of [
      [3, 3],
      [this.size - 4, 3],
      [3, this.size - 4],
    ] as const)
      this.#drawFinder(x, y);
    this.#drawAlignments(version);
    this.drawFormat(0);
    if (version >= 7) this.#drawVersion(version);
  }

  isDark = (x: number, y: number): boolean => this.#dark[y * this.size + x]!;
  isFixed = (x: number, y: number): boolean => this.#fixed[y * this.size + x]!;

  set(x: number, y: number, dark: boolean): void {
    this.#dark[y * this.size + x] = dark;
  }

  #fix(x: number, y: number, dark: boolean): void {
    this.set(x, y, dark);
    this.#fixed[y * this.size + x] = true;
  }

  #drawTiming(): void {
    for (let i = 0; i < this.size; i++) {
      this.#fix(6, i, i % 2 === 0);
      this.#fix(i, 6, i % 2 === 0);
    }
  }

  #drawFinder(cx: number, cy: number): void {
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const [x, y] = [cx + dx, cy + dy];
        if (x < 0 || y < 0 || x >= this.size || y >= this.size) continue;
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        this.#fix(x, y, ring !== 2 && ring !== 4);
      }
  }

  #drawAlignments(version: number): void {
    const places = alignmentPlaces(version, this.size);
    const last = places.length - 1;
    for (const [i, cy] of places.entries())
      for (const [j, cx] of places.entries()) {
        // The three corners with finders have none.
        if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) continue;
        for (let dy = -2; dy <= 2; dy++)
          for (let dx = -2; dx <= 2; dx++)
            this.#fix(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }
  }

  /** Level M and the mask, with a correction of their own, twice. */
  drawFormat(mask: number): void {
    let rest = mask;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((mask << 10) | rest) ^ 0x5412;
    const bit = (i: number) => ((bits >>> i) & 1) === 1;
    for (let i = 0; i <= 5; i++) this.#fix(8, i, bit(i));
    this.#fix(8, 7, bit(6));
    this.#fix(8, 8, bit(7));
    this.#fix(7, 8, bit(8));
    for (let i = 9; i < 15; i++) this.#fix(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) this.#fix(this.size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) this.#fix(8, this.size - 15 + i, bit(i));
    this.#fix(8, this.size - 8, true);
  }

  #drawVersion(version: number): void {
    let rest = version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const dark = ((bits >>> i) & 1) === 1;
      const [a, b] = [this.size - 11 + (i % 3), Math.floor(i / 3)];
      this.#fix(a, b, dark);
      this.#fix(b, a, dark);
    }
  }
}

function alignmentPlaces(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const others = Array.from({ length: count - 1 }, (_, i) => size - 7 - i * step);
  return [6, ...others.toReversed()];
}
