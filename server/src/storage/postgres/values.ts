import { types } from 'pg';

const BYTEA = 17;
const INT8 = 20;
const NUMERIC = 1700;

const toBuffer = types.getTypeParser(BYTEA) as (text: string) => Buffer;

const OWN_PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  // Counts and times are far below 2^53; pg would return strings.
  [INT8]: Number,
  [NUMERIC]: Number,
  // A Uint8Array, like SQLite: `slice` of a Buffer is a view on shared memory.
  [BYTEA]: (text) => new Uint8Array(toBuffer(text)),
};

export const typeParsers: { getTypeParser: typeof types.getTypeParser } = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    OWN_PARSERS[oid] ?? types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
};

type WireValue = string | Buffer | null;

/** Accepts the same values as SQLite: pg would turn undefined into null. */
export function toWire(value: unknown, index: number): WireValue {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
      return String(value);
    default:
      if (value === null) return null;
      if (value instanceof Uint8Array)
        return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      throw new TypeError(`Parameter ${index + 1} cannot be bound: it is a ${typeof value}.`);
  }
}
