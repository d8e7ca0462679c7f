import type { Conditions } from '@keyward/rules/check-key.ts';
import type { Tenant } from '../../kernel/authority.ts';
import type { Outcome, UsedAccessKey } from '../analytics/index.ts';
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

/**
 * `failed`: the validation ended in an error, usually because storage was unavailable. Counted on the hot
 * path only.
 */
export type ValidationOutcomes = Record<
  Refusal | 'valid' | 'limited' | 'credits_exhausted' | 'failed',
  number
>;

/** The outcome under which a code is counted. Several codes can share one. */
export const OUTCOME_OF: Record<Refusal, Outcome> = {
  key_not_found: 'unknown',
  key_malformed: 'malformed',
  key_project_inactive: 'revoked',
  key_revoked: 'revoked',
  key_expired: 'expired',
  key_not_started: 'not_started',
  domain_denied: 'domain_denied',
  ip_denied: 'ip_denied',
  permission_denied: 'permission_denied',
};

/** The first check that fails, limits and credits aside; null if all pass. */
export const refusalOf = (
  caller: Caller,
  found: Lookup,
  conditions: Conditions,
  now: number,
): Refusal | null =>
  typeof found === 'string' ? found : decide(found, caller.projectIds, conditions, now);
