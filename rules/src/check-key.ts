import { type Address, type AddressRange, isInRange } from './addresses.ts';
import type { Cost } from './cost.ts';
import { originAllowed } from './origin.ts';
import { type Grants, isMet, type Requirement } from './permissions.ts';

/**
 * The checks of a validation, in their order, by the code of the refusal if they fail. `checkKey` makes all but the
 * last two.
 */
export const CHECKS = {
  key_project_inactive: 'project active',
  key_revoked: 'key active',
  key_not_started: 'started',
  key_expired: 'not expired',
  domain_denied: 'domain',
  ip_denied: 'address',
  permission_denied: 'permissions',
  rate_limited: 'limits',
  credits_exhausted: 'credits',
} as const;

/** Why a known key is refused. */
export type KeyRefusalCode = keyof typeof CHECKS;

type CheckCode = Exclude<KeyRefusalCode, 'rate_limited' | 'credits_exhausted'>;

/** What the checks read of a key. */
export interface CheckedKey {
  readonly project: { readonly isActive: boolean };
  readonly isActive: boolean;
  /** Both times are on the same clock as `now`. */
  readonly startsAt: number | null;
  readonly expiresAt: number | null;
  readonly allowedDomains: readonly string[] | null;
  readonly allowedIPs: readonly AddressRange[] | null;
  readonly grants: Grants;
}

/** What a validation says about the request that carries the key, and what it requires of the key. */
export interface Conditions {
  /** The domain that the request comes from. */
  readonly origin: string | undefined;
  /** Null: unknown, so that keys with `allowedIPs` are refused. */
  readonly clientIP: Address | null;
  readonly requirement: Requirement | null;
  /** What a valid request consumes from limits and from credits. 0: it is only checked. */
  readonly cost: Cost;
  /** What the request is about, such as `POST:/v1/chat`; null: not said. */
  readonly resource: string | null;
}

export const NO_CONDITIONS = {
  origin: undefined,
  clientIP: null,
  requirement: null,
  cost: 1,
  resource: null,
} as const satisfies Conditions;

/** The first check that fails, limits and credits aside; null if all pass. */
export function checkKey(
  key: CheckedKey,
  { origin, clientIP, requirement }: Conditions,
  now: number,
): CheckCode | null {
  if (!key.project.isActive) return 'key_project_inactive';
  if (!key.isActive) return 'key_revoked';
  const { startsAt, expiresAt, allowedDomains, allowedIPs } = key;
  if (startsAt !== null && now < startsAt) return 'key_not_started';
  if (expiresAt !== null && now >= expiresAt) return 'key_expired';
  if (allowedDomains !== null && !originAllowed(allowedDomains, origin)) return 'domain_denied';
  if (allowedIPs !== null && !isAllowed(allowedIPs, clientIP)) return 'ip_denied';
  if (requirement !== null && !isMet(requirement, key.grants)) return 'permission_denied';
  return null;
}

const isAllowed = (ranges: readonly AddressRange[], address: Address | null): boolean =>
  address !== null && ranges.some((range) => isInRange(address, range));
