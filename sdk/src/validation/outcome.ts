import { isRefusalCode, REFUSALS, type RefusalCode } from '@keyward/rules/outcomes.ts';
import type {
  BatchResult,
  CreditsLeft,
  LimitState,
  RateLimitState,
  ValidatedKey,
} from '../generated/api-types.ts';
import type { ApiResponse } from '../http/api-response.ts';
import type { KeywardUnavailable } from '../http/errors.ts';

export type { RefusalCode };

/** The key is valid, and this use was counted. */
export interface Accepted {
  readonly valid: true;
  readonly allowed: true;
  readonly record: ValidatedKey;
  /** Null for a key without a limit. */
  readonly rateLimit: RateLimitState | null;
}

/** Keyward refused the key; `code` is the reason. */
export interface Refused {
  readonly valid: false;
  readonly allowed: false;
  readonly record: null;
  readonly code: RefusalCode;
  readonly statusCode: 403 | 404 | 429;
  readonly rateLimit: RateLimitState | null;
  /**
   * For `rate_limited`: time until the window resets; null if the request can never succeed. For
   * `credits_exhausted`: until the refill, if any.
   */
  readonly retryAfterSeconds: number | null;
  /** For `rate_limited`: the cost is larger than a limit allows in a whole window. */
  readonly retryable?: false;
  /** For `rate_limited`, if the key has `limits`: the name of the limit that refused. */
  readonly limit?: string;
  /** For `rate_limited`, if the key has `limits`: all of them. */
  readonly rateLimits?: readonly LimitState[];
  /** For `credits_exhausted`: what is left, which is less than the cost. */
  readonly credits?: CreditsLeft;
  /** For `permission_denied`: the required permissions that the key lacks; of an `any`, all its names. */
  readonly missing?: readonly string[];
}

/** Keyward was unavailable. `allowed` is the decision of `onUnavailable`. */
export interface Undecided {
  readonly valid: null;
  readonly allowed: boolean;
  readonly record: null;
  readonly rateLimit: null;
  readonly error: KeywardUnavailable;
}

export type Validation = Accepted | Refused | Undecided;

interface RefusalFields {
  readonly retryable?: unknown;
  readonly missing?: unknown;
  readonly limit?: unknown;
  readonly rateLimits?: unknown;
  readonly credits?: unknown;
}

/** The fields of a refusal, all of which a response of another server may lack. */
const fieldsOf = (body: unknown): RefusalFields & { readonly code?: unknown } =>
  typeof body === 'object' && body !== null ? body : {};

const isRecord = (body: unknown): body is ValidatedKey =>
  typeof body === 'object' && body !== null && 'id' in body && 'customMetaData' in body;

/**
 * The only place that decides whether a response is a verdict about a key: a record with status 200, or
 * a refusal code with its own status. Null for every other response, such as a refused access key, the
 * 404 of a proxy or a login page.
 */
export function verdictOf({ status, headers, body }: ApiResponse): Accepted | Refused | null {
  const { code, ...fields } = fieldsOf(body);
  if (isRefusalCode(code) && REFUSALS[code].status === status)
    return refused(code, rateLimitOf(headers), fields);
  return status === 200 && isRecord(body) ? accepted(body, rateLimitOf(headers)) : null;
}

export const isVerdict = (response: ApiResponse): boolean => verdictOf(response) !== null;

/** The same for one item of a batch. */
export function verdictOfItem(result: BatchResult): Accepted | Refused | null {
  const rateLimit = result.rateLimit ?? null;
  if (result.valid && isRecord(result.record)) return accepted(result.record, rateLimit);
  const { valid, code } = result;
  return !valid && isRefusalCode(code) ? refused(code, rateLimit, result) : null;
}

const accepted = (record: ValidatedKey, rateLimit: RateLimitState | null): Accepted => ({
  valid: true,
  allowed: true,
  record,
  rateLimit,
});

export const refused = <Code extends RefusalCode>(
  code: Code,
  rateLimit: RateLimitState | null,
  fields: RefusalFields = {},
): Refused & { readonly code: Code } => ({
  valid: false,
  allowed: false,
  record: null,
  code,
  statusCode: REFUSALS[code].status,
  rateLimit,
  retryAfterSeconds: retryAfterOf(code, rateLimit, fields),
  ...fieldsFor(code, fields),
});

function fieldsFor(
  code: RefusalCode,
  { missing, retryable, limit, rateLimits, credits }: RefusalFields,
): Pick<Refused, 'retryable' | 'limit' | 'rateLimits' | 'credits' | 'missing'> {
  if (code === 'permission_denied') return Array.isArray(missing) ? { missing } : {};
  if (code === 'credits_exhausted') return isCredits(credits) ? { credits } : {};
  if (code !== 'rate_limited') return {};
  return {
    ...(retryable === false && { retryable }),
    ...(typeof limit === 'string' && { limit, ...(Array.isArray(rateLimits) && { rateLimits }) }),
  };
}

function retryAfterOf(
  code: RefusalCode,
  rateLimit: RateLimitState | null,
  { retryable, credits }: RefusalFields,
): number | null {
  if (code === 'rate_limited')
    return retryable === false ? null : (rateLimit?.retryAfterSeconds ?? null);
  if (code !== 'credits_exhausted' || !isCredits(credits) || credits.nextRefillAt === null)
    return null;
  return Math.max(0, Date.parse(credits.nextRefillAt) - Date.now()) / 1000;
}

const isCredits = (credits: unknown): credits is CreditsLeft =>
  typeof credits === 'object' && credits !== null && 'nextRefillAt' in credits;

function rateLimitOf(headers: Headers): RateLimitState | null {
  if (!headers.has('ratelimit-limit')) return null;
  const number = (name: string) => Number(headers.get(name));
  return {
    limit: number('ratelimit-limit'),
    remaining: number('ratelimit-remaining'),
    consumed: number('ratelimit-consumed'),
    reset: number('ratelimit-reset'),
    retryAfterSeconds: number('retry-after-seconds'),
  };
}
