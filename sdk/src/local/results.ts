import { indexOfDescribedLimit } from '@keyward/rules/limit-set.ts';
import type { RateLimitState } from '../generated/api-types.ts';
import { type Accepted, type Refused, refused } from '../validation/outcome.ts';
import type { Counted } from './decider.ts';
import type { QuotaResult, Quotas } from './leases/quotas.ts';

/** The result of a validation that limits and credits decided, as the server would respond. */
export function resultOf({ entry, quotas, quotaResult }: Counted): Accepted | Refused {
  const { outcome, neverFits, counts, credits } = quotaResult;
  const rateLimit = rateLimitOf(quotas, quotaResult);
  const rateLimits = rateLimitsOf(quotas, quotaResult);
  if (outcome === 'rate_limited') {
    const limit = quotas.limits[counts!.refusedBy]?.name;
    return refused(outcome, rateLimit, {
      ...(neverFits && { retryable: false }),
      ...(rateLimits && { limit, rateLimits }),
    });
  }
  if (outcome === 'credits_exhausted') return refused(outcome, rateLimit, { credits });
  const record =
    rateLimits || credits
      ? { ...entry.record, ...(rateLimits && { rateLimits }), ...(credits && { credits }) }
      : entry.record;
  return { valid: true, allowed: true, record, rateLimit };
}

function rateLimitOf({ limits }: Quotas, { counts, time }: QuotaResult): RateLimitState | null {
  const n = counts === null ? -1 : indexOfDescribedLimit(limits, counts);
  if (n < 0) return null;
  const { limit } = limits[n]!;
  const { consumed, resetAt } = counts!.states[n]!;
  return {
    limit,
    remaining: limit - consumed,
    consumed,
    reset: Math.ceil(resetAt / 1000),
    retryAfterSeconds: Math.max(0, resetAt - time) / 1000,
  };
}

/** Undefined for a key without `limits`. */
function rateLimitsOf({ limits, hasNamedLimits }: Quotas, { counts }: QuotaResult) {
  if (!hasNamedLimits) return undefined;
  return limits.map(({ name, limit }, n) => {
    const { consumed, resetAt, isExceeded: exceeded } = counts!.states[n]!;
    const reset = Math.ceil(resetAt / 1000);
    return { name, limit, remaining: limit - consumed, reset, exceeded };
  });
}
