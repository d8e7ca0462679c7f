import { KeywardError } from '../../../kernel/errors.ts';

/** Position of a series in its list: the value it is sorted by, then its id. */
export interface SeriesPosition {
  readonly value: string | number | null;
  readonly id: string;
}

/** Position of a row: its series, and its date unless the series has a single row. */
export interface RowPosition {
  readonly position: SeriesPosition;
  readonly date: number | null;
}

/** Opaque to clients. */
export const encodeCursor = (order: string, { position, date }: RowPosition): string =>
  Buffer.from(JSON.stringify([order, position.value, position.id, date])).toString('base64url');

export function decodeCursor(cursor: string, order: string): RowPosition {
  const [itsOrder, value, id, date] = readArray(Buffer.from(cursor, 'base64url').toString());
  const isPosition =
    itsOrder === order &&
    (value === null || typeof value === 'string' || Number.isFinite(value)) &&
    typeof id === 'string' &&
    (date === null || Number.isSafeInteger(date));
  if (!isPosition) throw new KeywardError('invalid_cursor');
  return { position: { value: value as SeriesPosition['value'], id }, date: date as number | null };
}

function readArray(text: string): unknown[] {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}
