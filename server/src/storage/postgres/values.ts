import { types } from 'pg';

const INT8 = 20;
const NUMERIC = 1700;

/** Counts and times are far below 2^53; the text that pg would make of them is no number. */
export const typeParsers: { getTypeParser: typeof types.getTypeParser } = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
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
