import { BLOCK_BYTES, type Compression, ROUNDS, START } from './sha256-compression.ts';

/** A piece of a WebAssembly function that leaves one word on its stack. */
type Expression = readonly number[];

/** Locals: the eight words of the state, sixteen of the schedule, and one for what is used twice. */
const WORD = 8;
const TWICE = 24;
const LOCALS = 25;

const OPERATIONS = { add: 0x6a, and: 0x71, or: 0x72, xor: 0x73, shr: 0x76, rotr: 0x78 } as const;
const I32 = 0x7f;
const END = 0x0b;

const get = (local: number): Expression => [0x20, local];
const set = (local: number, value: Expression): Expression => [...value, 0x21, local];
const tee = (local: number, value: Expression): Expression => [...value, 0x22, local];
const constant = (value: number): Expression => [0x41, ...signed(value)];
const load = (address: number): Expression => [...constant(0), 0x28, 2, ...unsigned(address)];
const store = (address: number, value: Expression): Expression => [
  ...constant(0),
  ...value,
  0x36,
  2,
  ...unsigned(address),
];

/** From left to right. */
function all(operation: keyof typeof OPERATIONS, first: Expression, ...others: Expression[]) {
  return [...first, ...others.flatMap((each) => [...each, OPERATIONS[operation]])];
}
const rotated = (local: number, by: number) => all('rotr', get(local), constant(by));
const shifted = (local: number, by: number) => all('shr', get(local), constant(by));

/** What stands at an address as four bytes, the highest first. */
const bigEndian = (address: number): Expression =>
  all(
    'or',
    all('and', all('rotr', tee(TWICE, load(address)), constant(24)), constant(0x00ff00ff)),
    all('and', rotated(TWICE, 8), constant(0xff00ff00 | 0)),
  );

/** The next word of the schedule, in the place of the sixteenth before it (FIPS 180-4, 6.2.2). */
function expand(t: number): Expression {
  const [own, far, middle, near] = [t, t + 1, t + 9, t + 14].map((n) => WORD + (n % 16)) as Four;
  const sigma0 = all('xor', rotated(far, 7), rotated(far, 18), shifted(far, 3));
  const sigma1 = all('xor', rotated(near, 17), rotated(near, 19), shifted(near, 10));
  return set(own, all('add', get(own), sigma0, get(middle), sigma1));
}
type Four = [number, number, number, number];

/** One round. Names move on by one local each, so that no value need be moved. */
function round(t: number): Expression {
  const name = (n: number): number => (n - (t % 8) + 8) % 8;
  const [a, b, c, d] = [name(0), name(1), name(2), name(3)];
  const [e, f, g, h] = [name(4), name(5), name(6), name(7)];
  const sum1 = all('xor', rotated(e, 6), rotated(e, 11), rotated(e, 25));
  const choice = all('xor', get(g), all('and', get(e), all('xor', get(f), get(g))));
  const sum0 = all('xor', rotated(a, 2), rotated(a, 13), rotated(a, 22));
  const majority = all(
    'xor',
    all('and', get(a), get(b)),
    all('and', get(c), all('xor', get(a), get(b))),
  );
  const first = all('add', get(h), sum1, choice, constant(ROUNDS[t]!), get(WORD + (t % 16)));
  return [
    ...set(d, all('add', tee(TWICE, first), get(d))),
    ...set(h, all('add', get(TWICE), sum0, majority)),
  ];
}

function compressFunction(): Expression {
  const stateAt = (n: number): number => BLOCK_BYTES + 4 * n;
  const state = Array.from(START, (_, n) => n);
  return [
    ...state.flatMap((n) => set(n, load(stateAt(n)))),
    ...Array.from({ length: 16 }, (_, n) => set(WORD + n, bigEndian(4 * n))).flat(),
    ...Array.from(ROUNDS, (_, t) => (t < 16 ? round(t) : [...expand(t), ...round(t)])).flat(),
    ...state.flatMap((n) => store(stateAt(n), all('add', get(n), load(stateAt(n))))),
  ];
}

/** The binary form of a module with one page of memory and one function without arguments. */
function program(): Uint8Array<ArrayBuffer> {
  const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes];
  const section = (id: number, ...bytes: number[]): number[] => [id, ...sized(bytes)];
  const name = (text: string): number[] => sized([...text].map((each) => each.charCodeAt(0)));
  const body = sized([1, LOCALS, I32, ...compressFunction(), END]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 0, 0),
    ...section(3, 1, 0),
    ...section(5, 1, 0, 1),
    ...section(7, 2, ...name('memory'), 2, 0, ...name('compress'), 0, 0),
    ...section(10, 1, ...body),
  ]);
}

/** What we use of the global of this name: not every runtime has it, nor every program its types. */
interface WebAssemblyGlobal {
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; compress(): void };
  };
}

/** As the memory of WebAssembly is on every machine, and typed arrays are on most. */
const isLittleEndian = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/** Null where nothing may be compiled. */
export function inWebAssembly(): Compression | null {
  const { WebAssembly } = globalThis as unknown as { WebAssembly?: WebAssemblyGlobal };
  if (WebAssembly === undefined || !isLittleEndian) return null;
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(program()));
    const { buffer } = exports.memory;
    return {
      block: new Uint8Array(buffer, 0, BLOCK_BYTES),
      state: new Int32Array(buffer, BLOCK_BYTES, START.length),
      compress: exports.compress,
    };
  } catch {
    return null;
  }
}

/** LEB128, in which WebAssembly writes its numbers. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}
function signed(value: number): number[] {
  const isLast = value >= -0x40 && value < 0x40;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
