import type { Conditions } from '@keyward/rules/check-key.ts';
import { type Cost, undeclaredUnit } from '@keyward/rules/cost.ts';
import { REFUSAL_CODES, type RefusalCode } from '@keyward/rules/outcomes.ts';
import type { Tenant } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { UsedAccessKey } from '../analytics/index.ts';
import type { PreparedKey } from './prepared-key.ts';
import { decide, type Refusal } from './rules.ts';
import type { Counted } from './wire/limit-report.ts';

export type Verdict =
  | ({ readonly kind: 'valid' } & Counted)
  /** A limit refused. `neverFits`: the cost is larger than a whole window of the limit. */
  | ({ readonly kind: 'limited'; readonly neverFits: boolean } & Counted)
  /** Too few credits are left. */
  | ({ readonly kind: 'exhausted' } & Counted)
  | {
      readonly kind: 'refused';
      readonly code: Refusal;
      /** With `permission_denied`: the required permissions that the key lacks. */
      readonly missing?: readonly string[];
    };

/** Who sent the request: account, projects if restricted to some, and usage counters. */
export type Caller = Tenant & UsedAccessKey;

/** The key that a value belongs to, or why there is none. */
export type Lookup = PreparedKey | 'key_malformed' | 'key_not_found';

/** `failed`: the validation ended in an error, usually because storage was unavailable. Counted on the hot path only. */
export type ValidationOutcomes = Record<
  'valid' | 'limited' | 'failed' | Exclude<RefusalCode, 'rate_limited'>,
  number
>;

export function noOutcomes(): ValidationOutcomes {
  const refused = REFUSAL_CODES.map((code) => (code === 'rate_limited' ? 'limited' : code));
  const names = ['valid', 'failed', ...refused] as const;
  return Object.fromEntries(names.map((name) => [name, 0])) as ValidationOutcomes;
}

/**
 * Throws if the project of the key does not declare a unit of the cost. `refusal`: of the key; a key of another project
 * is unknown to the caller.
 */
export function rejectUndeclaredUnits(found: Lookup, refusal: Refusal | null, cost: Cost): void {
  if (typeof cost === 'number' || typeof found === 'string' || refusal === 'key_not_found') return;
  const unit = undeclaredUnit(cost, found.units ?? []);
  if (unit !== null)
    throw new KeywardError(
      'unit_not_declared',
      `cost names the unit "${unit}", which the project of the key does not declare in \`units\`.`,
    );
}

/** The first check that fails, limits and credits aside; null if all pass. */
export const refusalOf = (
  caller: Caller,
  found: Lookup,
  conditions: Conditions,
  now: number,
): Refusal | null =>
  typeof found === 'string' ? found : decide(found, caller.projectIds, conditions, now);
