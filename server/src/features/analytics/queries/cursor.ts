import { KeywardError } from '../../../kernel/errors.ts';
import { cursorValues } from '../../../kernel/paging.ts';

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
  const [itsOrder, value, id, date] = cursorValues(Buffer.from(cursor, 'base64url').toString());
  const isPosition =
    itsOrder === order &&
    (value === null || isSortValue(value, order)) &&
    typeof id === 'string' &&
    (date === null || Number.isSafeInteger(date));
  if (!isPosition) throw new KeywardError('invalid_cursor');
  return { position: { value: value as SeriesPosition['value'], id }, date: date as number | null };
}

/** Totals and times are numbers; PostgreSQL returns sums as text. Names, custom ids and plan ids are text. */
const isSortValue = (value: unknown, order: string): boolean =>
  order === 'outcomes' || / by (?!name$)/.test(order)
    ? Number.isSafeInteger(Number(value)) && /^-?\d+$/.test(`${value}`)
    : typeof value === 'string';
