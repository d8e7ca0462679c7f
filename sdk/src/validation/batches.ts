import type { PermissionsInput } from '../rules/permissions.ts';

/** A value, or a value with the permissions that are required of this key alone, and its cost. */
export type KeyToValidate =
  | string
  | {
      readonly key: string;
      readonly permissions?: PermissionsInput | undefined;
      readonly cost?: number | undefined;
    };

/**
 * The server accepts 1,000 keys and 64 KB per call; the rest of the 64 KB is for the JSON around the
 * keys and for the permissions that are required of all of them.
 */
const KEYS_MAX = 1_000;
const BYTES_MAX = 60_000;

const LENGTH_MAX = 4_096;

/**
 * False for values for which the server would reject the whole call, not just the key: too long, with a
 * NUL, or with half a surrogate pair. No key looks like that, so no request is needed.
 */
export const canBeKey = (key: string): boolean =>
  key.length <= LENGTH_MAX && !key.includes('\0') && key.isWellFormed();

export const textOf = (key: KeyToValidate): string => (typeof key === 'string' ? key : key.key);

/** Splits the keys into batches that fit into one call each, in order. */
export function batchesOf(keys: readonly KeyToValidate[]): KeyToValidate[][] {
  const batches: KeyToValidate[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    const size = bytesOf(key);
    let batch = batches.at(-1);
    if (!batch || batch.length === KEYS_MAX || bytes + size > BYTES_MAX) {
      batch = [];
      batches.push(batch);
      bytes = 0;
    }
    batch.push(key);
    bytes += size;
  }
  return batches;
}

/** The size as JSON, with the comma. */
const bytesOf = (key: KeyToValidate): number =>
  new TextEncoder().encode(JSON.stringify(key)).length + 1;
