import { types } from 'pg';

const BYTEA = 17;
const INT8 = 20;
const NUMERIC = 1700;

const toBuffer = types.getTypeParser(BYTEA) as (text: string) => Buffer;

const OURS: Readonly<Record<number, (text: string) => unknown>> = {
  // Counts and times are far below 2^53; pg would make texts of them.
  [INT8]: Number,
  [NUMERIC]: Number,
  // Plain bytes, as SQLite gives them: `slice` of a Buffer is a view on memory it shares.
  [BYTEA]: (text) => new Uint8Array(toBuffer(text)),
};

export const typeParsers: { getTypeParser: typeof types.getTypeParser } = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    OURS[oid] ?? types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
};

type WireValue = string | Buffer | null;

/** The same values that SQLite takes, and no others: pg would make null of an undefined. */
export function toWire(value: unknown, place: number): WireValue {
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
      throw new TypeError(`Parameter ${place + 1} cannot be bound: it is a ${typeof value}.`);
  }
}
