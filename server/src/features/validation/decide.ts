import { originAllowed } from './origin.ts';

/** What the decision looks at; a prepared key has it all. */
export interface Decidable {
  readonly project: { readonly id: string; readonly isActive: boolean };
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly allowedDomains: readonly string[] | null;
}

export type Refusal =
  | 'key_not_found'
  | 'key_malformed'
  | 'key_project_inactive'
  | 'key_revoked'
  | 'key_expired'
  | 'domain_denied';

/**
 * All checks short of the rate limit, in the order that decides which one is told. `projectIds`
 * are those that the caller is narrowed to: keys of other projects are unknown to it.
 */
export function decide(
  key: Decidable,
  projectIds: readonly string[] | null,
  origin: string | undefined,
  now: number,
): Refusal | null {
  if (projectIds !== null && !projectIds.includes(key.project.id)) return 'key_not_found';
  if (!key.project.isActive) return 'key_project_inactive';
  if (!key.isActive) return 'key_revoked';
  if (key.expiresAt !== null && now >= key.expiresAt) return 'key_expired';
  if (key.allowedDomains !== null && !originAllowed(key.allowedDomains, origin))
    return 'domain_denied';
  return null;
}
