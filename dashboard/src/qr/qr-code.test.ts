import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Grid } from './grid.ts';
import { dataPlaces, MASKS, qrCode } from './qr-code.ts';
import { multiply } from './reed-solomon.ts';

/** Block lengths of level M by version, from the tables of ISO/IEC 18004. */
const BLOCKS: Record<number, { correction: number; data: number[] }> = {
  1: { correction: 10, data: [16] },
  2: { correction: 16, data: [28] },
  3: { correction: 26, data: [44] },
  4: { correction: 18, data: [32, 32] },
  5: { correction: 24, data: [43, 43] },
  6: { correction: 16, data: [27, 27, 27, 27] },
  7: { correction: 18, data: [31, 31, 31, 31] },
  8: { correction: 22, data: [38, 38, 39, 39] },
  9: { correction: 22, data: [36, 36, 36, 37, 37] },
  10: { correction: 26, data: [43, 43, 43, 43, 44] },
};

/** The fifteen bits beside the finder at the top left. */
function formatBits({ isDark }: Grid): string {
  const places = [0, 1, 2, 3, 4, 5, 7, 8].map((y) => [8, y] as const);
  const rest = [7, 5, 4, 3, 2, 1, 0].map((x) => [x, 8] as const);
  return [...places, ...rest]
    .map(([x, y]) => (isDark(x, y) ? '1' : '0'))
    .toReversed()
    .join('');
}

/** Reads a code as a camera would: format, mask, order, blocks, syndromes, text. */
function read(grid: Grid): string {
  const version = (grid.size - 17) / 4;
  const mask = (Number.parseInt(formatBits(grid), 2) ^ 0x5412) >>> 10;
  expect(mask).toBeLessThan(8);
  const bits = [...dataPlaces(grid)].map(([x, y]) => grid.isDark(x, y) !== MASKS[mask]!(x, y));
  const words: number[] = [];
  for (let i = 0; i + 8 <= bits.length; i += 8)
    words.push(bits.slice(i, i + 8).reduce((word, bit) => word * 2 + Number(bit), 0));
  const { correction, data } = BLOCKS[version]!;
  const blocks = data.map((): number[] => []);
  let at = 0;
  for (let i = 0; i < Math.max(...data); i++)
    for (const [b, length] of data.entries()) if (i < length) blocks[b]!.push(words[at++]!);
  const whole = blocks.map((block) => [...block]);
  for (let i = 0; i < correction; i++) for (const block of whole) block.push(words[at++]!);
  for (const block of whole) expect(syndromes(block, correction)).toEqual([]);
  const stream = blocks
    .flat()
    .map((word) => word.toString(2).padStart(8, '0'))
    .join('');
  expect(stream.slice(0, 4)).toBe('0100');
  const head = version < 10 ? 12 : 20;
  const length = Number.parseInt(stream.slice(4, head), 2);
  const bytes = Array.from({ length }, (_, i) =>
    Number.parseInt(stream.slice(head + i * 8, head + i * 8 + 8), 2),
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Of an undamaged block all are zero: those that are not. */
function syndromes(block: readonly number[], correction: number): number[] {
  let root = 1;
  const wrong: number[] = [];
  for (let i = 0; i < correction; i++) {
    const value = block.reduce((sum, word) => multiply(sum, root) ^ word, 0);
    if (value !== 0) wrong.push(i);
    root = multiply(root, 2);
  }
  return wrong;
}

describe('a QR code', () => {
  it('is read back as it was written, at every size', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        fc.pre(new TextEncoder().encode(text).length <= 213);
        expect(read(qrCode(text)!)).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [0, '101010000010010'],
    [5, '100000011001110'],
    [7, '100101010100000'],
  ])('writes mask %i as the standard does', (mask, bits) => {
    const grid = new Grid(1);
    grid.drawFormat(mask);
    expect(formatBits(grid)).toBe(bits);
  });

  it('has its three finders, and the dark module', () => {
    const grid = qrCode('otpauth://totp/Keyward')!;
    const row = (x: number, y: number) =>
      Array.from({ length: 7 }, (_, i) => (grid.isDark(x + i, y) ? '#' : '.')).join('');
    for (const [x, y] of [
      [0, 3],
      [grid.size - 7, 3],
      [0, grid.size - 4],
    ] as const)
      expect(row(x, y)).toBe('#.###.#');
    expect(grid.isDark(8, grid.size - 8)).toBe(true);
  });

  it('is none for what is too long', () => {
    expect(qrCode('x'.repeat(412))).not.toBeNull();
    expect(qrCode('x'.repeat(413))).toBeNull();
  });
});
