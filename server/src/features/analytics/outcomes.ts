/** How a validation of a known key can end. The columns of the tables have these names. */
export const KEY_OUTCOMES = [
  'valid',
  'rate_limited',
  'revoked',
  'expired',
  'domain_denied',
] as const;

/** What an access key asked for may also have been nobody's: guessing leaves a trace. */
export const ACCESS_KEY_OUTCOMES = [...KEY_OUTCOMES, 'unknown', 'malformed'] as const;

/** Whether it is told of keys, and not only of who asked. */
export const isKeyOutcome = (outcome: Outcome): outcome is KeyOutcome =>
  KEY_OUTCOMES.some((each) => each === outcome);

export type KeyOutcome = (typeof KEY_OUTCOMES)[number];
export type Outcome = (typeof ACCESS_KEY_OUTCOMES)[number];

/** Position in ACCESS_KEY_OUTCOMES and, for those of a key, in KEY_OUTCOMES. */
export const OUTCOME_INDEX = Object.fromEntries(
  ACCESS_KEY_OUTCOMES.map((outcome, n) => [outcome, n]),
) as Readonly<Record<Outcome, number>>;
