import { isIdOf } from '../../kernel/ids.ts';
import type { Places } from '../../kernel/paging.ts';
import type { ApiKey, ListApiKeys } from './schema.ts';

export const SORTS = ['createdAt', 'name', 'expiresAt', 'lastUsedAt'] as const;
export const ORDERS = ['ascending', 'descending'] as const;

type Sort = (typeof SORTS)[number];

export interface ListOrder {
  readonly sort: Sort;
  readonly ascending: boolean;
}

/** Where a key stands in a list: by what it is sorted, then by id, both in the same direction. */
export interface KeyPlace {
  /** Null where it is sorted by time of making, which is the order of the ids. */
  readonly value: string | number | null;
  readonly id: string;
}

/** What is soonest over and what comes first in the alphabet lead; of all else, the latest. */
export function orderOf({ sort = 'createdAt', order }: ListApiKeys): ListOrder {
  const ascending =
    order === undefined ? sort === 'name' || sort === 'expiresAt' : order === 'ascending';
  return { sort, ascending };
}

/** What a time that is not set counts as, so that those keys come last in either direction. */
export const unsetTime = ({ ascending }: ListOrder): number =>
  ascending ? Number.MAX_SAFE_INTEGER : -1;

export function placesIn(order: ListOrder): Places<ApiKey, KeyPlace> {
  const isNewestFirst = order.sort === 'createdAt' && !order.ascending;
  const kind = `${order.sort} ${order.ascending ? 'up' : 'down'}`;
  return {
    of: (key) => ({ value: sortedBy(key, order), id: key.id }),
    // The order that all lists have has the cursor that all lists have.
    write: ({ value, id }) => (isNewestFirst ? id : JSON.stringify([kind, value, id])),
    read: (text) => (isNewestFirst ? placeOfId(text) : placeOf(text, kind)),
  };
}

function sortedBy(key: ApiKey, order: ListOrder): KeyPlace['value'] {
  if (order.sort === 'createdAt') return null;
  if (order.sort === 'name') return key.name;
  const time = key[order.sort];
  return time === null ? unsetTime(order) : Date.parse(time);
}

const placeOfId = (text: string): KeyPlace | null =>
  isIdOf('key', text) ? { value: null, id: text } : null;

function placeOf(text: string, wanted: string): KeyPlace | null {
  const [kind, value, id] = parsed(text);
  const isValue =
    kind === 'createdAt up'
      ? value === null
      : typeof value === (wanted.startsWith('name') ? 'string' : 'number');
  if (kind !== wanted || !isValue || typeof id !== 'string' || !isIdOf('key', id)) return null;
  return { value: value as KeyPlace['value'], id };
}

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
