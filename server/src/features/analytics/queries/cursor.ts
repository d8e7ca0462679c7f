import { KeywardError } from '../../../kernel/errors.ts';

/** Where a series stands in its list: by what the list is sorted, then by id. */
export interface Position {
  readonly value: string | number | null;
  readonly id: string;
}

/** Where a row stands: its series, and its date unless the series has one row. */
export interface Place {
  readonly position: Position;
  readonly date: number | null;
}

/** In base64url, so that nobody builds on its form. */
export const encodeCursor = (order: string, { position, date }: Place): string =>
  Buffer.from(JSON.stringify([order, position.value, position.id, date])).toString('base64url');

export function decodeCursor(cursor: string, order: string): Place {
  const [itsOrder, value, id, date] = readArray(Buffer.from(cursor, 'base64url').toString());
  const isPlace =
    itsOrder === order &&
    (value === null || typeof value === 'string' || Number.isFinite(value)) &&
    typeof id === 'string' &&
    (date === null || Number.isSafeInteger(date));
  if (!isPlace) throw new KeywardError('invalid_cursor');
  return { position: { value: value as Position['value'], id }, date: date as number | null };
}

function readArray(text: string): unknown[] {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}
