/** Outcomes of validating an existing key; also the column names of the usage tables. */
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

/** Position in ACCESS_KEY_OUTCOMES and, for those of a key, in KEY_OUTCOMES. */
export const OUTCOME_INDEX = Object.fromEntries(
  ACCESS_KEY_OUTCOMES.map((outcome, n) => [outcome, n]),
) as Readonly<Record<Outcome, number>>;
