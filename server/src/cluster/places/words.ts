import { type Code, i32Const, unsigned, vector } from './wasm-code.ts';

/** How numbers of 32 bits are worked with: one at a time, or four side by side in a vector. */
export interface Words {
  readonly lanes: 1 | 4;
  constant(value: number): Code;
  add(a: Code, b: Code): Code;
  xor(a: Code, b: Code): Code;
  rotateRight(a: Code, by: number): Code;
  load(address: Code, offset: number): Code;
  /** The same number of memory for all lanes. */
  loadForAll(address: Code, offset: number): Code;
  store(address: Code, offset: number, value: Code): Code;
}

const loadNumber = (address: Code, offset: number): Code => [
  ...address,
  ...[0x28, 0],
  ...unsigned(offset),
];

export const ONE: Words = {
  lanes: 1,
  constant: i32Const,
  add: (a, b) => [...a, ...b, 0x6a],
  xor: (a, b) => [...a, ...b, 0x73],
  rotateRight: (a, by) => [...a, ...i32Const(by), 0x78],
  load: loadNumber,
  loadForAll: loadNumber,
  store: (address, offset, value) => [...address, ...value, 0x36, 0, ...unsigned(offset)],
};

const bytesOf = (value: number): Code => [
  value & 0xff,
  (value >>> 8) & 0xff,
  (value >>> 16) & 0xff,
  value >>> 24,
];

/** Bytes of two vectors, picked: 0 to 15 are those of the first, 16 to 31 of the second. */
export const shuffle = (a: Code, b: Code, bytes: Code): Code => [
  ...a,
  ...b,
  ...vector(0x0d, ...bytes),
];

const rotatedByBytes = (a: Code, bytes: number): Code =>
  shuffle(
    a,
    a,
    [0, 4, 8, 12].flatMap((first) => [0, 1, 2, 3].map((n) => first + ((n + bytes) & 3))),
  );

const rotatedByBits = (a: Code, by: number): Code => [
  ...[...a, ...i32Const(by), ...vector(0xad)],
  ...[...a, ...i32Const(32 - by), ...vector(0xab)],
  ...vector(0x50),
];

export const FOUR: Words = {
  lanes: 4,
  constant: (value) => vector(0x0c, ...[value, value, value, value].flatMap(bytesOf)),
  add: (a, b) => [...a, ...b, ...vector(0xae)],
  xor: (a, b) => [...a, ...b, ...vector(0x51)],
  // Whole bytes are one instruction, anything else three.
  rotateRight: (a, by) => (by % 8 === 0 ? rotatedByBytes(a, by / 8) : rotatedByBits(a, by)),
  load: (address, offset) => [...address, ...vector(0x00, 0, ...unsigned(offset))],
  loadForAll: (address, offset) => [...address, ...vector(0x09, 0, ...unsigned(offset))],
  store: (address, offset, value) => [
    ...address,
    ...value,
    ...vector(0x0b, 0, ...unsigned(offset)),
  ],
};
