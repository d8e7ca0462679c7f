import type { CostInput } from '@keyward/rules/cost.ts';
import type { PermissionsInput } from '@keyward/rules/permissions.ts';

/** A value, or a value with the permissions that are required of this key alone, its cost, and what it is used for. */
export type KeyToValidate =
  | string
  | {
      readonly key: string;
      readonly permissions?: PermissionsInput | undefined;
      readonly cost?: CostInput | undefined;
      readonly resource?: string | undefined;
    };

export const KEYS_MAX = 1_000;
/**
 * The server accepts 64 KB per call; the rest is for the JSON around the items, and for the permissions
 * that are required of all keys of a call.
 */
const BYTES_MAX = 60_000;

const LENGTH_MAX = 4_096;

/**
 * False for values for which the server would reject the whole call, not just the key: too long, with a
 * NUL, or with half a surrogate pair. No key looks like that, so no request is needed.
 */
export const canBeKey = (key: string): boolean =>
  key.length <= LENGTH_MAX && !key.includes('\0') && key.isWellFormed();

export const textOf = (key: KeyToValidate): string => (typeof key === 'string' ? key : key.key);

/** Splits items into batches that fit into one call each, in order. `sent` is what is sent of an item. */
export function batchesOf<Item>(
  items: readonly Item[],
  itemsMax: number,
  sent: (item: Item) => unknown = (item) => item,
): Item[][] {
  const batches: Item[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = bytesOf(sent(item));
    let batch = batches.at(-1);
    if (!batch || batch.length === itemsMax || bytes + size > BYTES_MAX) {
      batch = [];
      batches.push(batch);
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  return batches;
}

/** The size as JSON, with the comma. */
const bytesOf = (value: unknown): number =>
  new TextEncoder().encode(JSON.stringify(value)).length + 1;
