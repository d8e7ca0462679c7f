import { codewords, versionFor } from './codewords.ts';
import { Grid } from './grid.ts';

/** The order in which data is drawn: two columns at a time, upwards and downwards, from the right. */
export function* dataPlaces(grid: Grid): Generator<readonly [x: number, y: number]> {
  const { size } = grid;
  let upward = true;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let i = 0; i < size; i++) {
      const y = upward ? size - 1 - i : i;
      for (const x of [right, right - 1]) if (!grid.isFixed(x, y)) yield [x, y];
    }
    upward = !upward;
  }
}

export const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** A QR code (level M) of a text; null when it is too long for a code that a phone reads easily. */
export function qrCode(text: string): Grid | null {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  if (version === null) return null;
  const words = codewords(bytes, version);
  const grids = MASKS.map((_, mask) => drawn(words, version, mask));
  return grids.toSorted((a, b) => unevenness(a) - unevenness(b))[0]!;
}

function drawn(words: readonly number[], version: number, mask: number): Grid {
  const grid = new Grid(version);
  grid.drawFormat(mask);
  let bit = 0;
  for (const [x, y] of dataPlaces(grid)) {
    const word = words[bit >>> 3] ?? 0;
    const dark = ((word >>> (7 - (bit & 7))) & 1) === 1;
    grid.set(x, y, dark !== MASKS[mask]!(x, y));
    bit++;
  }
  return grid;
}

/** How hard it is on a camera: long runs and full squares of one colour count against a mask. */
function unevenness({ size, isDark }: Grid): number {
  let score = 0;
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const dark = isDark(x, y);
      const same = (dx: number, dy: number) =>
        x + dx < size && y + dy < size && isDark(x + dx, y + dy) === dark;
      if (same(1, 0) && same(2, 0) && same(3, 0) && same(4, 0)) score += 2;
      if (same(0, 1) && same(0, 2) && same(0, 3) && same(0, 4)) score += 2;
      if (same(1, 0) && same(0, 1) && same(1, 1)) score += 3;
    }
  return score;
}
