/** Outcomes of validating an existing key; also columns of the usage tables. */
export const KEY_OUTCOMES = [
  'valid',
  'rate_limited',
  'revoked',
  'expired',
  'domain_denied',
  'not_started',
  'ip_denied',
  'permission_denied',
  'credits_exhausted',
] as const;

/** Outcomes counted per access key: also for values that are not a key, so that guessing is visible. */
export const ACCESS_KEY_OUTCOMES = [...KEY_OUTCOMES, 'unknown', 'malformed'] as const;

/** Whether the outcome is counted on keys, and not only on access keys. */
export const isKeyOutcome = (outcome: Outcome): outcome is KeyOutcome =>
  KEY_OUTCOMES.some((each) => each === outcome);

export type KeyOutcome = (typeof KEY_OUTCOMES)[number];
export type Outcome = (typeof ACCESS_KEY_OUTCOMES)[number];

/**
 * Columns of the usage tables of keys and projects. `extra_cost` is the sum of the costs of valid
 * requests minus their number, so that requests of cost 1 add nothing to it.
 */
export const KEY_COLUMNS = [...KEY_OUTCOMES, 'extra_cost'] as const;

/** Columns of the usage tables of access keys. */
export const ACCESS_KEY_COLUMNS = [...KEY_COLUMNS, 'unknown', 'malformed'] as const;

export type UsageColumn = (typeof ACCESS_KEY_COLUMNS)[number];

/** Position in ACCESS_KEY_COLUMNS and, for columns of a key, in KEY_COLUMNS. */
export const COLUMN_INDEX = Object.fromEntries(
  ACCESS_KEY_COLUMNS.map((column, n) => [column, n]),
) as Readonly<Record<UsageColumn, number>>;
