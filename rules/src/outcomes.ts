import type { KeyRefusalCode } from './check-key.ts';

/** What validations of known keys are counted as. Packed entries of the journal have this order: only append. */
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

/** The last two are about values that are not a key. */
export const OUTCOMES = [...KEY_OUTCOMES, 'unknown', 'malformed'] as const;

export type KeyOutcome = (typeof KEY_OUTCOMES)[number];
export type Outcome = (typeof OUTCOMES)[number];

/** Their fields in usage rows, in the order of the columns of CSV files. */
export const USAGE_FIELDS = {
  valid: 'valid',
  rate_limited: 'rateLimited',
  revoked: 'revoked',
  expired: 'expired',
  domain_denied: 'domainDenied',
  unknown: 'unknown',
  malformed: 'malformed',
  not_started: 'notStarted',
  ip_denied: 'ipDenied',
  permission_denied: 'permissionDenied',
  credits_exhausted: 'creditsExhausted',
} as const satisfies Record<Outcome, string>;

interface Refusal {
  readonly status: 403 | 404 | 429;
  /** The outcome under which it is counted. Several codes can share one. */
  readonly counted: Exclude<Outcome, 'valid'>;
  /** What a middleware of the SDK does: one response for each of these. */
  readonly guard: 'invalid' | 'domain' | 'address' | 'permission' | 'limited' | 'exhausted';
  readonly message: string;
}

const INVALID = { status: 404, guard: 'invalid', message: 'Invalid client key' } as const;

/** Every reason for which a validation is refused, by its code. */
export const REFUSALS = {
  key_not_found: { ...INVALID, counted: 'unknown' },
  key_malformed: { ...INVALID, counted: 'malformed' },
  key_revoked: { ...INVALID, counted: 'revoked' },
  key_expired: { ...INVALID, counted: 'expired' },
  key_not_started: { ...INVALID, counted: 'not_started' },
  key_project_inactive: { ...INVALID, counted: 'revoked' },
  domain_denied: {
    status: 403,
    counted: 'domain_denied',
    guard: 'domain',
    message: 'This key may not be used from this domain.',
  },
  ip_denied: {
    status: 403,
    counted: 'ip_denied',
    guard: 'address',
    message: 'This key may not be used from this IP address.',
  },
  permission_denied: {
    status: 403,
    counted: 'permission_denied',
    guard: 'permission',
    message: 'This key lacks a permission that the request needs.',
  },
  rate_limited: {
    status: 429,
    counted: 'rate_limited',
    guard: 'limited',
    message: 'Too many requests',
  },
  credits_exhausted: {
    status: 429,
    counted: 'credits_exhausted',
    guard: 'exhausted',
    message: 'Too few credits are left for this request.',
  },
} as const satisfies Record<KeyRefusalCode | 'key_not_found' | 'key_malformed', Refusal>;

export type RefusalCode = keyof typeof REFUSALS;

export const REFUSAL_CODES = Object.keys(REFUSALS) as readonly RefusalCode[];

export const isRefusalCode = (code: unknown): code is RefusalCode =>
  typeof code === 'string' && Object.hasOwn(REFUSALS, code);
