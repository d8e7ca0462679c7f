import { type Address, type AddressRange, isInRange } from '@keyward/rules/addresses.ts';
import { originAllowed } from '@keyward/rules/origin.ts';
import { type Grants, isMet, type Requirement } from '@keyward/rules/permissions.ts';

/** The fields of a key that the decision reads. */
export interface Decidable {
  readonly project: { readonly id: string; readonly isActive: boolean };
  readonly isActive: boolean;
  readonly startsAt: number | null;
  readonly expiresAt: number | null;
  readonly allowedDomains: readonly string[] | null;
  readonly allowedIPs: readonly AddressRange[] | null;
  readonly grants: Grants;
}

/** The most that one request can cost. */
export const COST_MAX = 1_000_000;
/** The most keys in a batch. */
export const BATCH_MAX = 1000;

/** What a validation says about the request that carries the key, and what it requires of the key. */
export interface Conditions {
  readonly origin: string | undefined;
  /** `checked-by-client`: not checked here, because the client validates in its own memory. */
  readonly clientIP: Address | 'checked-by-client' | null;
  readonly requirement: Requirement | null;
  /** What a valid request consumes from each limit and from credits. 0: it is only checked. */
  readonly cost: number;
}

export const NO_CONDITIONS = {
  origin: undefined,
  clientIP: null,
  requirement: null,
  cost: 1,
} satisfies Conditions;

export type Refusal =
  | 'key_not_found'
  | 'key_malformed'
  | 'key_project_inactive'
  | 'key_revoked'
  | 'key_not_started'
  | 'key_expired'
  | 'domain_denied'
  | 'ip_denied'
  | 'permission_denied';

interface Check {
  readonly name: string;
  readonly code: Refusal;
  passes(key: Decidable, conditions: Conditions, now: number): boolean;
}

/** In the order in which they are made. */
const CHECKS: readonly Check[] = [
  {
    name: 'project active',
    code: 'key_project_inactive',
    passes: (key) => key.project.isActive,
  },
  { name: 'key active', code: 'key_revoked', passes: (key) => key.isActive },
  {
    name: 'started',
    code: 'key_not_started',
    passes: ({ startsAt }, _, now) => startsAt === null || now >= startsAt,
  },
  {
    name: 'not expired',
    code: 'key_expired',
    passes: ({ expiresAt }, _, now) => expiresAt === null || now < expiresAt,
  },
  {
    name: 'domain',
    code: 'domain_denied',
    passes: ({ allowedDomains }, { origin }) =>
      allowedDomains === null || originAllowed(allowedDomains, origin),
  },
  {
    name: 'address',
    code: 'ip_denied',
    passes: ({ allowedIPs }, { clientIP }) =>
      allowedIPs === null ||
      clientIP === 'checked-by-client' ||
      (clientIP !== null && allowedIPs.some((range) => isInRange(clientIP, range))),
  },
  {
    name: 'permissions',
    code: 'permission_denied',
    passes: ({ grants }, { requirement }) => requirement === null || isMet(requirement, grants),
  },
];

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
  for (const check of CHECKS) if (!check.passes(key, conditions, now)) return check.code;
  return null;
}

/** The result of every check, in order; null for those after the first that failed. */
export function explain(
  key: Decidable,
  conditions: Conditions,
  now: number,
  fits: { readonly limits: boolean; readonly credits: boolean },
) {
  const results = [
    ...CHECKS.map(({ name, code, passes }) => ({
      check: name,
      code: code as string,
      passed: passes(key, conditions, now),
    })),
    { check: 'limits', code: 'rate_limited', passed: fits.limits },
    { check: 'credits', code: 'credits_exhausted', passed: fits.credits },
  ];
  const failed = results.findIndex(({ passed }) => !passed);
  return results.map((result, n) =>
    failed >= 0 && n > failed ? { ...result, passed: null } : result,
  );
}
