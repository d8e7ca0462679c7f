import { Grants, isGrantedBy } from '@keyward/rules/permissions.ts';
import {
  holdsScope,
  PORTAL_ACTIONS,
  PORTAL_SCOPES,
  type PortalAction,
  type Principal,
} from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { isWebUrl } from '../fields/index.ts';

/** The actions of a new session: the requested ones, or all that its creator may grant. */
export function grantedActions(
  principal: Principal,
  requested: readonly PortalAction[] | undefined,
): readonly PortalAction[] {
  const mayGrant = (action: PortalAction) => holdsScope(principal, PORTAL_SCOPES[action]);
  const actions = PORTAL_ACTIONS.filter(
    (action) => requested?.includes(action) ?? mayGrant(action),
  );
  const lacking = actions.filter((action) => !mayGrant(action));
  if (actions.length > 0 && lacking.length === 0) return actions;
  const scopes = new Set((requested ?? PORTAL_ACTIONS).map((action) => PORTAL_SCOPES[action]));
  throw new KeywardError(
    'grant_exceeds_own',
    `A portal session can only allow what you may do yourself. Required: ${[...scopes].join(', ')}.`,
  );
}

/** A link back must not lead to a site that the project does not know. */
export function checkReturnUrl(text: string, origins: readonly string[]): string {
  const url = URL.parse(text);
  if (url === null || !isWebUrl(url) || url.username !== '' || url.password !== '')
    throw new KeywardError(
      'invalid_body',
      'returnUrl must be an https URL, or an http URL on localhost or a loopback address, without user name and password.',
    );
  if (!origins.includes(url.origin))
    throw new KeywardError(
      'invalid_body',
      `returnUrl: ${url.origin} is not in portalOrigins of the project.`,
    );
  return url.href;
}

/**
 * The permissions to set on a key that is created in the portal; null: it inherits. Without a cap, the
 * customer cannot choose: chosen permissions would stay on the key when the customer's plan gets smaller.
 */
export function cappedPermissions(
  cap: readonly string[] | null,
  requested: readonly string[] | undefined,
): readonly string[] | null {
  if (requested === undefined) return cap;
  if (cap === null)
    throw new KeywardError(
      'grant_exceeds_own',
      'This session does not let you choose permissions. Leave them out: the key gets those of its customer.',
    );
  requireWithin(cap, requested);
  return requested;
}

/** Throws unless the cap includes all of these permissions. */
export function requireWithin(cap: readonly string[], permissions: readonly string[]): void {
  const grants = new Grants(cap);
  const beyond = permissions.filter((each) => !isGrantedBy(grants, each));
  if (beyond.length > 0)
    throw new KeywardError(
      'grant_exceeds_own',
      `This session does not allow keys with these permissions: ${beyond.join(', ')}.`,
    );
}
