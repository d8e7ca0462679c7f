import { originAllowed } from '../../../../sdk/src/rules/origin.ts';

/** The fields of a key that the decision reads. */
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
 * All checks except the rate limit. The first that fails is reported. `projectIds` are the projects
 * that the caller is restricted to; keys of other projects do not exist for it.
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
