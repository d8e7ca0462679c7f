import { correctionOf } from './reed-solomon.ts';

/** Of level M (15 % may be damaged), by version from 1. */
const CORRECTION_PER_BLOCK = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];

const BYTE_MODE = 0b0100;
const PADDING = [0xec, 0x11];

/** Modules of a version that hold no pattern, in bytes. */
function capacity(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const alignments = Math.floor(version / 7) + 2;
    modules -= (25 * alignments - 10) * alignments - 55;
    if (version >= 7) modules -= 36;
  }
  return Math.floor(modules / 8);
}

const dataCapacity = (version: number): number =>
  capacity(version) - CORRECTION_PER_BLOCK[version - 1]! * BLOCKS[version - 1]!;

const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

/** The smallest version that holds so many bytes; null when none of ours does. */
export function versionFor(bytes: number): number | null {
  const versions = BLOCKS.map((_, index) => index + 1);
  const fits = (version: number) =>
    4 + lengthBits(version) + bytes * 8 <= dataCapacity(version) * 8;
  return versions.find(fits) ?? null;
}

/** The bytes of a code in the order in which they are drawn: data, padding and correction. */
export function codewords(bytes: Uint8Array, version: number): number[] {
  const data = padded(bytes, version);
  const count = BLOCKS[version - 1]!;
  const correction = CORRECTION_PER_BLOCK[version - 1]!;
  const shortLength = Math.floor(data.length / count);
  const firstLong = count - (data.length % count);
  const blocks: number[][] = [];
  let at = 0;
  for (let block = 0; block < count; block++) {
    const length = shortLength + (block >= firstLong ? 1 : 0);
    blocks.push(data.slice(at, at + length));
    at += length;
  }
  return [
    ...interleaved(blocks),
    ...interleaved(blocks.map((block) => correctionOf(block, correction))),
  ];
}

function padded(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1);
  };
  push(BYTE_MODE, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const room = dataCapacity(version);
  push(0, Math.min(4, room * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0; bits.length < room * 8; pad++) push(PADDING[pad % 2]!, 8);
  const words: number[] = [];
  for (let i = 0; i < bits.length; i += 8)
    words.push(bits.slice(i, i + 8).reduce((word, bit) => (word << 1) | bit, 0));
  return words;
}

/** The first byte of each block, then the second of each: damage in one place hits many a little. */
function interleaved(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length));
  const result: number[] = [];
  for (let i = 0; i < longest; i++)
    for (const block of blocks) if (i < block.length) result.push(block[i]!);
  return result;
}
