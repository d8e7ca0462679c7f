/** As much of WebAssembly's binary format as our own code needs: bytes, put together. */
export type Code = readonly number[];

const I32 = 0x7f;
const V128 = 0x7b;

/** LEB128, as all counts and positions are written. */
export function unsigned(value: number): Code {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return bytes;
}

function signed(value: number): Code {
  const bytes: number[] = [];
  for (let rest = value | 0; ; rest >>= 7) {
    const isLast = rest >= -64 && rest < 64;
    bytes.push((rest & 0x7f) | (isLast ? 0 : 0x80));
    if (isLast) return bytes;
  }
}

export const i32Const = (value: number): Code => [0x41, ...signed(value)];
export const readLocal = (n: number): Code => [0x20, ...unsigned(n)];
export const writeLocal = (n: number, value: Code): Code => [...value, 0x21, ...unsigned(n)];

/** An instruction of the vector part, with what follows it. */
export const vector = (instruction: number, ...operands: number[]): Code => [
  0xfd,
  ...unsigned(instruction),
  ...operands,
];

export interface WasmFunction {
  readonly name: string;
  readonly code: Code;
  /** All alike: numbers of 32 bits, or vectors of four of them. */
  readonly locals: { readonly count: number; readonly areVectors: boolean };
}

/** A module of functions that all take `parameters` numbers and give nothing back, and their memory. */
export function wasmModule(
  parameters: number,
  functions: readonly WasmFunction[],
): Uint8Array<ArrayBuffer> {
  const type = [0x60, ...vec(Array.from({ length: parameters }, () => [I32])), 0];
  const exported = functions.map(({ name }, n) => [...text(name), 0, ...unsigned(n)]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [type]),
    ...section(
      3,
      functions.map(() => [0]),
    ),
    ...section(5, [[0, 1]]),
    ...section(7, [[...text('memory'), 2, 0], ...exported]),
    ...section(
      10,
      functions.map(({ locals, code }) => {
        const kind = locals.areVectors ? V128 : I32;
        const body = [1, ...unsigned(locals.count), kind, ...code, 0x0b];
        return [...unsigned(body.length), ...body];
      }),
    ),
  ]);
}

const vec = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];

function section(id: number, items: readonly Code[]): Code {
  const body = vec(items);
  return [id, ...unsigned(body.length), ...body];
}

const text = (name: string): Code => vec([...Buffer.from(name)].map((byte) => [byte]));
