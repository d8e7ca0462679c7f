import { KEY_OUTCOMES, type KeyOutcome, type Outcome } from '@keyward/rules/outcomes.ts';
import type { AccessKeyCountsTable, KeyCountsTable } from '../../storage/schema/usage.ts';

/** Whether the outcome is counted on keys, and not only on access keys. */
export const isKeyOutcome = (outcome: Outcome): outcome is KeyOutcome =>
  KEY_OUTCOMES.some((each) => each === outcome);

/**
 * Columns of the usage tables of keys and projects. `extra_cost` is the sum of the costs of valid
 * requests minus their number, so that requests of cost 1 add nothing to it.
 */
export const KEY_COLUMNS = [
  ...KEY_OUTCOMES,
  'extra_cost',
] as const satisfies readonly (keyof KeyCountsTable)[];

/** Columns of the usage tables of access keys. */
export const ACCESS_KEY_COLUMNS = [
  ...KEY_COLUMNS,
  'unknown',
  'malformed',
] as const satisfies readonly (keyof AccessKeyCountsTable)[];

export type UsageColumn = (typeof ACCESS_KEY_COLUMNS)[number];

/** Position in ACCESS_KEY_COLUMNS and, for columns of a key, in KEY_COLUMNS. */
export const COLUMN_INDEX = Object.fromEntries(
  ACCESS_KEY_COLUMNS.map((column, n) => [column, n]),
) as Readonly<Record<UsageColumn, number>>;
