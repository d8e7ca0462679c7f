import type { Principal } from '../../kernel/authority.ts';
import type { Payer } from '../../kernel/response-budget.ts';
import type { Route } from '../../kernel/route.ts';

/** Whose share of the node a request uses. The operator, and a person without an account, have their own. */
export const accountOf = (principal: Principal): string =>
  (principal.kind !== 'operator' && principal.accountId) || principal.id;

export const customerOf = (principal: Principal): string | null =>
  principal.kind === 'portal'
    ? JSON.stringify([...principal.projectIds, principal.customAccountId])
    : null;

/**
 * Whose memory the response to a caller takes. Customers share nothing with their account: one that reads nothing
 * must not slow the API of the account. Lists that nobody reads must not keep the account from revoking a key.
 */
export function payerOf(principal: Principal | null, route: Route): Payer {
  const holder = principal === null ? '' : (customerOf(principal) ?? accountOf(principal));
  const name = isRead(route) ? holder : `changes of ${holder}`;
  return principal?.kind === 'portal' ? { name, group: principal.accountId } : { name };
}

/** Whose share of the database the reads of a caller use. Customers are many, and share one. */
export const readerOf = (principal: Principal | null): string => {
  if (principal === null) return '';
  return principal.kind === 'portal' ? `customers of ${principal.accountId}` : accountOf(principal);
};

/** A validation may be a GET request, and is more than a read. */
export const isRead = ({ method, access }: Route): boolean =>
  method === 'GET' && access !== 'keys:validate';
