import type { Actor } from '../../kernel/actor.ts';
import type { UserPrincipal } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';

/** The caller as a person. The gate has already rejected others. */
export function personOf({ principal }: Actor): UserPrincipal {
  if (principal.kind !== 'user') throw new KeywardError('people_only');
  return principal;
}
