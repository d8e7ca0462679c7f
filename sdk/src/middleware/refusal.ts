import { REFUSALS, type RefusalCode } from '@keyward/rules/outcomes.ts';
import type { CreditsLeft, RateLimitState } from '../generated/api-types.ts';
import type { KeywardError } from '../http/errors.ts';
import type { Refused } from '../validation/outcome.ts';

/** Why a request is rejected. */
export type Refusal =
  | { readonly reason: 'missing' }
  | {
      readonly reason: (typeof REFUSALS)[RefusalCode]['guard'];
      readonly validation: Refused;
    }
  | { readonly reason: 'unavailable'; readonly error: KeywardError };

/** The response to a rejected request; the body is sent as JSON. */
export interface RefusalResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export const refusalOf = (validation: Refused): Refusal => ({
  reason: REFUSALS[validation.code].guard,
  validation,
});

const TEXTS = {
  missing: [401, 'Unauthorized', 'Send an API key.'],
  invalid: [401, 'Unauthorized', 'The API key is not valid.'],
  domain: [403, 'Forbidden', 'The API key may not be used from this domain.'],
  address: [403, 'Forbidden', 'The API key may not be used from this address.'],
  permission: [403, 'Forbidden', 'The API key does not permit this request.'],
  limited: [429, 'Too Many Requests', 'Too many requests with this API key.'],
  exhausted: [429, 'Too Many Requests', 'Too few credits are left for this API key.'],
  unavailable: [503, 'Service Unavailable', 'API keys cannot be validated at the moment.'],
} as const;

/** The default response. It does not name the missing permissions; the option `response` can change it. */
export function refusalResponse(refusal: Refusal, challenge: string): RefusalResponse {
  const [status, error, message] = TEXTS[refusal.reason];
  return {
    status,
    headers: headersOf(refusal, challenge),
    body: { statusCode: status, message, error, code: codeOf(refusal) },
  };
}

function codeOf(refusal: Refusal): string {
  if (refusal.reason === 'missing') return 'key_missing';
  return refusal.reason === 'unavailable' ? 'keyward_unavailable' : refusal.validation.code;
}

function headersOf(refusal: Refusal, challenge: string): Record<string, string> {
  switch (refusal.reason) {
    case 'missing':
    case 'invalid':
      return { 'www-authenticate': challenge };
    case 'limited': {
      const { rateLimit, retryAfterSeconds, retryable } = refusal.validation;
      return {
        ...quotaHeaders(rateLimit),
        ...(retryable !== false && { 'retry-after': wholeSeconds(retryAfterSeconds) }),
      };
    }
    case 'exhausted': {
      const { rateLimit, credits, retryAfterSeconds } = refusal.validation;
      return {
        ...quotaHeaders(rateLimit, credits),
        ...(retryAfterSeconds !== null && { 'retry-after': wholeSeconds(retryAfterSeconds) }),
      };
    }
    case 'unavailable':
      return { 'retry-after': wholeSeconds(refusal.error.retryAfterSeconds) };
    case 'domain':
    case 'address':
    case 'permission':
      return {};
  }
}

const wholeSeconds = (seconds: number | null): string =>
  String(Math.max(1, Math.ceil(seconds ?? 1)));

/** The `ratelimit-*` and credits headers that Keyward sends, without `RateLimit` and `RateLimit-Policy`. */
export function quotaHeaders(
  rateLimit: RateLimitState | null,
  credits?: CreditsLeft,
): Readonly<Record<string, string>> {
  const ofCredits = credits && { 'credits-remaining': String(credits.remaining) };
  if (!rateLimit) return ofCredits ?? {};
  return {
    'ratelimit-limit': String(rateLimit.limit),
    'ratelimit-remaining': String(rateLimit.remaining),
    'ratelimit-reset': String(rateLimit.reset),
    'ratelimit-consumed': String(rateLimit.consumed),
    'retry-after-seconds': String(rateLimit.retryAfterSeconds),
    ...ofCredits,
  };
}
