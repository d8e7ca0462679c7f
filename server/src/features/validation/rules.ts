import { CHECKS, type CheckedKey, type Conditions, checkKey } from '@keyward/rules/check-key.ts';
import type { RefusalCode } from '@keyward/rules/outcomes.ts';

/** The fields of a key that the decision reads. */
export interface Decidable extends CheckedKey {
  readonly project: CheckedKey['project'] & { readonly id: string };
}

/** The most keys in a batch. */
export const BATCH_MAX = 1000;

/** Limits and credits have verdicts of their own. */
export type Refusal = Exclude<RefusalCode, 'rate_limited' | 'credits_exhausted'>;

/**
 * All checks except limits and credits. The first that fails is reported. `projectIds` are the projects
 * that the caller is restricted to; keys of other projects do not exist for it.
 */
export function decide(
  key: Decidable,
  projectIds: readonly string[] | null,
  conditions: Conditions,
  now: number,
): Refusal | null {
  if (projectIds !== null && !projectIds.includes(key.project.id)) return 'key_not_found';
  return checkKey(key, conditions, now);
}

/** The result of every check, in order; null for those after the first that failed. */
export function explain(
  key: CheckedKey,
  conditions: Conditions,
  now: number,
  fits: { readonly limits: boolean; readonly credits: boolean },
) {
  const ofQuotas = fits.limits ? (fits.credits ? null : 'credits_exhausted') : 'rate_limited';
  const failed = Object.keys(CHECKS).indexOf(checkKey(key, conditions, now) ?? ofQuotas ?? '');
  return Object.entries(CHECKS).map(([code, check], n) => ({
    check,
    code,
    passed: failed < 0 || n < failed ? true : n === failed ? false : null,
  }));
}
