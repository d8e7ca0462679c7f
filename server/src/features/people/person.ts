import type { Actor } from '../../kernel/actor.ts';
import type { UserPrincipal } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';

/** Whoever calls, as a person. The gate lets nobody else in where this is asked. */
export function personOf({ principal }: Actor): UserPrincipal {
  if (principal.kind !== 'user') throw new KeywardError('people_only');
  return principal;
}
