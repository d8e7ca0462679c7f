import type { GrantedScope, Role, Scope } from '@keyward/rules/roles.ts';
import { type ErrorCode, KeywardError } from './errors.ts';

export {
  type GrantedScope,
  ROLE_SCOPES,
  ROLES,
  type Role,
  roleHolds,
  SCOPES,
  type Scope,
} from '@keyward/rules/roles.ts';

export interface AccessKeyPrincipal {
  readonly kind: 'access-key';
  readonly id: string;
  readonly accountId: string;
  /** null: the whole account; otherwise one project. A list, because people may have several. */
  readonly projectIds: readonly string[] | null;
  readonly scopes: ReadonlySet<GrantedScope>;
}

/** A person with a session, in the account of the request. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly id: string;
  readonly sessionId: string;
  /** Empty if the request concerns only the person. */
  readonly accountId: string;
  /** Projects that the role is limited to; null: the whole account. */
  readonly projectIds: readonly string[] | null;
  /** null if the request concerns only the person. */
  readonly role: Role | null;
  readonly scopes: ReadonlySet<GrantedScope>;
}

/** The holder of the root secret, through the CLI on the same machine. */
export interface OperatorPrincipal {
  readonly kind: 'operator';
  readonly id: 'operator';
}

/** What a portal session can allow its customer to do. */
export const PORTAL_ACTIONS = [
  'keys:read',
  'keys:create',
  'keys:rotate',
  'keys:revoke',
  'usage:read',
] as const;
export type PortalAction = (typeof PORTAL_ACTIONS)[number];

/** The scope that includes each action. Only its holder can allow the action in a session. */
export const PORTAL_SCOPES: Record<PortalAction, Scope> = {
  'keys:read': 'keys:read',
  'keys:create': 'keys:write',
  'keys:rotate': 'keys:write',
  'keys:revoke': 'keys:write',
  'usage:read': 'analytics:read',
};

/** A customer with a portal session: sees only its own keys, in one project, on routes of the portal. */
export interface PortalPrincipal {
  readonly kind: 'portal';
  /** Id of the session. */
  readonly id: string;
  readonly accountId: string;
  readonly projectIds: readonly [string];
  readonly customAccountId: string;
  readonly actions: ReadonlySet<PortalAction>;
  /** The scopes of its actions. */
  readonly scopes: ReadonlySet<GrantedScope>;
  /** Permissions that a key created in the session may have; null: only those of its customer and plan. */
  readonly permissionCap: readonly string[] | null;
  /** Other sites that may use the session. */
  readonly origins: readonly string[];
}

export type Principal = AccessKeyPrincipal | UserPrincipal | OperatorPrincipal | PortalPrincipal;

/** The rows that a caller may see: every query is restricted to them. */
export interface Tenant {
  readonly accountId: string;
  /** null: the whole account. */
  readonly projectIds: readonly string[] | null;
  /** If set, only keys of this customer. */
  readonly customAccountId?: string | undefined;
}

/** The target of an action: an account (`projectId` null) or one of its projects. */
export interface Resource {
  readonly accountId: string;
  readonly projectId: string | null;
}

/** `hidden`: the caller must not learn that the resource exists. */
export type Access = 'allowed' | 'scope_missing' | 'level_too_low' | 'hidden';

const OPERATOR_SCOPES: ReadonlySet<Scope> = new Set([
  'accounts:read',
  'accounts:write',
  'access-keys:read',
  'access-keys:write',
  'projects:read',
]);

export function holdsScope(principal: Principal, action: Scope): boolean {
  if (principal.kind === 'operator') return OPERATOR_SCOPES.has(action);
  return principal.scopes.has('*') || principal.scopes.has(action);
}

/**
 * Who may do what: one pure function for every caller. Scopes define the actions of a credential, and
 * its level (account or project) the resources.
 */
export function can(principal: Principal, action: Scope, resource: Resource): Access {
  if (!holdsScope(principal, action)) return 'scope_missing';
  if (principal.kind === 'operator') return 'allowed';
  if (resource.accountId !== principal.accountId) return 'hidden';
  if (principal.projectIds === null) return 'allowed';
  // A credential of a project may read the record of its account.
  if (resource.projectId === null) return action === 'accounts:read' ? 'allowed' : 'level_too_low';
  return principal.projectIds.includes(resource.projectId) ? 'allowed' : 'hidden';
}

/** Throws for the operator, who belongs to no account. */
export function tenantOf(principal: Principal): Tenant {
  if (principal.kind === 'operator') throw new KeywardError('scope_missing');
  return principal;
}

/** The account that a request names, or else the caller's. Only the operator finds other accounts. */
export function accountFor(principal: Principal, named: string | undefined): string {
  if (principal.kind === 'operator') {
    if (named !== undefined) return named;
    const message = 'accountId is required: the operator belongs to no account.';
    throw new KeywardError('invalid_query', message);
  }
  if (named !== undefined && named !== principal.accountId)
    throw new KeywardError('account_not_found');
  return principal.accountId;
}

/** The project of a caller that names none: its own, if it has exactly one. */
export const ownProject = ({ projectIds }: { projectIds: readonly string[] | null }) =>
  projectIds?.length === 1 ? projectIds[0]! : null;

/** Nobody but the operator can grant a scope that they do not hold; `*` requires `*`. */
export function mayGrant(principal: Principal, scopes: readonly GrantedScope[]): boolean {
  if (principal.kind === 'operator' || principal.scopes.has('*')) return true;
  return scopes.every((scope) => principal.scopes.has(scope));
}

/** Throws unless `mayGrant`. */
export function requireGrant(principal: Principal, scopes: readonly GrantedScope[]): void {
  if (mayGrant(principal, scopes)) return;
  throw new KeywardError(
    'grant_exceeds_own',
    `You cannot grant scopes that you do not have. Required: ${scopes.join(', ')}.`,
  );
}

/** The properties of a new key that decide who may create it. */
export type NewKey =
  | { readonly kind: 'api-key'; readonly accountId: string; readonly projectId: string }
  | {
      readonly kind: 'access-key';
      readonly accountId: string;
      /** null: account level. */
      readonly projectId: string | null;
      readonly scopes: readonly GrantedScope[];
    };

/**
 * Throws unless this principal may create the key. The one rule for the routes that create keys and
 * for webhook events that carry the value of a new key.
 */
export function requireCreation(principal: Principal, key: NewKey): void {
  const action = key.kind === 'api-key' ? 'keys:write' : 'access-keys:write';
  requireScope(principal, action, key, 'project_not_found');
  if (key.kind === 'access-key') requireGrant(principal, key.scopes);
}

/** Like `requireCreation`, but returns a boolean. */
export function mayCreate(principal: Principal, key: NewKey): boolean {
  try {
    requireCreation(principal, key);
    return true;
  } catch (error) {
    if (error instanceof KeywardError) return false;
    throw error;
  }
}

/** The message names the scope, and for a person also the role. */
export function lacksScope(principal: Principal, action: Scope): KeywardError {
  const who = principal.kind === 'user' ? `Your role ${principal.role}` : 'This credential';
  return new KeywardError('scope_missing', `${who} lacks the scope ${action}.`);
}

function levelTooLow(principal: Principal): KeywardError {
  if (principal.kind !== 'user') return new KeywardError('level_too_low');
  return new KeywardError('level_too_low', 'This call needs a role in the whole account.');
}

/** Throws unless allowed. A hidden resource is reported as not found. */
export function requireScope(
  principal: Principal,
  action: Scope,
  resource: Resource,
  hiddenAs: ErrorCode,
): void {
  const access = can(principal, action, resource);
  if (access === 'allowed') return;
  if (access === 'hidden') throw new KeywardError(hiddenAs);
  throw access === 'scope_missing' ? lacksScope(principal, action) : levelTooLow(principal);
}
