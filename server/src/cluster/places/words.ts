import { type Code, i32Const, unsigned, vector } from './wasm-code.ts';

/** How numbers of 32 bits are worked with: one at a time, or four side by side in a vector. */
export interface Words {
  readonly lanes: 1 | 4;
  constant(value: number): Code;
  add(a: Code, b: Code): Code;
  xor(a: Code, b: Code): Code;
  shiftRight(a: Code, by: number): Code;
  rotateRight(a: Code, by: number): Code;
  /** The bits of `one` where `mask` has ones, those of `zero` elsewhere. */
  select(mask: Code, one: Code, zero: Code): Code;
  /** The same number of memory for all lanes. */
  loadForAll(address: Code, offset: number): Code;
  store(address: Code, offset: number, value: Code): Code;
}

export const ONE: Words = {
  lanes: 1,
  constant: i32Const,
  add: (a, b) => [...a, ...b, 0x6a],
  xor: (a, b) => [...a, ...b, 0x73],
  shiftRight: (a, by) => [...a, ...i32Const(by), 0x76],
  rotateRight: (a, by) => [...a, ...i32Const(by), 0x78],
  select: (mask, one, zero) => [...one, ...zero, 0x73, ...mask, 0x71, ...zero, 0x73],
  loadForAll: (address, offset) => [...address, 0x28, 0, ...unsigned(offset)],
  store: (address, offset, value) => [...address, ...value, 0x36, 0, ...unsigned(offset)],
};

const bytesOf = (value: number): Code => [
  value & 0xff,
  (value >>> 8) & 0xff,
  (value >>> 16) & 0xff,
  value >>> 24,
];

export const FOUR: Words = {
  lanes: 4,
  constant: (value) => vector(0x0c, ...[value, value, value, value].flatMap(bytesOf)),
  add: (a, b) => [...a, ...b, ...vector(0xae)],
  xor: (a, b) => [...a, ...b, ...vector(0x51)],
  shiftRight: (a, by) => [...a, ...i32Const(by), ...vector(0xad)],
  rotateRight: (a, by) => [
    ...FOUR.shiftRight(a, by),
    ...[...a, ...i32Const(32 - by), ...vector(0xab)],
    ...vector(0x50),
  ],
  select: (mask, one, zero) => [...one, ...zero, ...mask, ...vector(0x52)],
  loadForAll: (address, offset) => [...address, ...vector(0x09, 0, ...unsigned(offset))],
  store: (address, offset, value) => [
    ...address,
    ...value,
    ...vector(0x0b, 0, ...unsigned(offset)),
  ],
};
