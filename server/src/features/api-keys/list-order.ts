import { isIdOf } from '../../kernel/ids.ts';
import { cursorValues, type Positions } from '../../kernel/paging.ts';
import type { ListApiKeys } from './schema.ts';
import type { KeyFields } from './store.ts';

type SortedRow = Pick<KeyFields, 'id' | 'name' | 'expires_at' | 'last_used_at'>;

export interface ListOrder {
  readonly sort: NonNullable<ListApiKeys['sort']>;
  readonly ascending: boolean;
}

/** The position of a key in a list: the value it is sorted by, then the id, both in the same direction. */
export interface KeyPosition {
  /** Null if sorted by `createdAt`: only the id counts, so imported keys are sorted by their import time. */
  readonly value: string | number | null;
  readonly id: string;
}

/** By default names and expiries are ascending, and other times descending. */
export function orderOf({ sort = 'createdAt', order }: ListApiKeys): ListOrder {
  const ascending =
    order === undefined ? sort === 'name' || sort === 'expiresAt' : order === 'ascending';
  return { sort, ascending };
}

/** The sort value of an unset time: such keys come last in both directions. */
export const unsetTime = ({ ascending }: ListOrder): number =>
  ascending ? Number.MAX_SAFE_INTEGER : -1;

export function positionsIn(order: ListOrder): Positions<SortedRow, KeyPosition> {
  const isNewestFirst = order.sort === 'createdAt' && !order.ascending;
  const kind = `${order.sort} ${order.ascending ? 'up' : 'down'}`;
  return {
    of: (key) => ({ value: sortedBy(key, order), id: key.id }),
    // The default order has the same cursors as all other lists.
    write: ({ value, id }) => (isNewestFirst ? id : JSON.stringify([kind, value, id])),
    read: (text) => (isNewestFirst ? positionOfId(text) : positionOf(text, kind)),
  };
}

function sortedBy(row: SortedRow, order: ListOrder): KeyPosition['value'] {
  switch (order.sort) {
    case 'createdAt':
      return null;
    case 'name':
      return row.name;
    case 'expiresAt':
      return row.expires_at ?? unsetTime(order);
    case 'lastUsedAt':
      return row.last_used_at ?? unsetTime(order);
  }
}

const positionOfId = (text: string): KeyPosition | null =>
  isIdOf('key', text) ? { value: null, id: text } : null;

function positionOf(text: string, wanted: string): KeyPosition | null {
  const [kind, value, id] = cursorValues(text);
  if (kind !== wanted || typeof id !== 'string' || !isIdOf('key', id)) return null;
  if (kind === 'createdAt up' ? value !== null : !isSortValue(value, wanted)) return null;
  return { value: value as KeyPosition['value'], id };
}

const isSortValue = (value: unknown, wanted: string): boolean =>
  wanted.startsWith('name') ? typeof value === 'string' : Number.isSafeInteger(value);
