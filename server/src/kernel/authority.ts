import { type ErrorCode, KeywardError } from './errors.ts';

/**
 * Who may do what: one pure function for every caller. A scope says which actions a credential
 * may take, its level (account or one project) says on what.
 */
export const SCOPES = [
  'keys:validate',
  'keys:read',
  'keys:write',
  'projects:read',
  'projects:write',
  'accounts:read',
  'accounts:write',
  'access-keys:read',
  'access-keys:write',
  'webhooks:read',
  'webhooks:write',
  'analytics:read',
  'invitations:read',
  'invitations:write',
  'audit:read',
] as const;
export type Scope = (typeof SCOPES)[number];
export type GrantedScope = Scope | '*';

/** Strongest first. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const READING = SCOPES.filter((scope) => scope.endsWith(':read'));

export const ROLE_SCOPES: Record<Role, readonly GrantedScope[]> = {
  owner: ['*'],
  admin: SCOPES.filter((scope) => scope !== 'accounts:write'),
  developer: [...READING, 'keys:validate', 'keys:write', 'webhooks:write'],
  viewer: READING,
};

export interface AccessKeyPrincipal {
  readonly kind: 'access-key';
  readonly id: string;
  readonly accountId: string;
  /** null: the whole account; else the one project. A list, since people may have several. */
  readonly projectIds: readonly string[] | null;
  readonly scopes: ReadonlySet<GrantedScope>;
}

/** A person with a session, in the one account that the call is about. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly id: string;
  readonly sessionId: string;
  /** Empty where a call is about the person alone. */
  readonly accountId: string;
  /** Projects that the role is narrowed to; null: the whole account. */
  readonly projectIds: readonly string[] | null;
  /** null where a call is about the person alone. */
  readonly role: Role | null;
  readonly scopes: ReadonlySet<GrantedScope>;
}

/** Whoever holds the installation's root secret, through the CLI on the same machine. */
export interface OperatorPrincipal {
  readonly kind: 'operator';
  readonly id: 'operator';
}

export type Principal = AccessKeyPrincipal | UserPrincipal | OperatorPrincipal;

/** Whose rows a caller may see: every query starts from here. */
export interface Tenant {
  readonly accountId: string;
  /** null: every project of the account, and what belongs to none. */
  readonly projectIds: readonly string[] | null;
}

/** Where an action acts: an account as a whole (`projectId` null) or one of its projects. */
export interface Resource {
  readonly accountId: string;
  readonly projectId: string | null;
}

/** `hidden`: the caller may not even learn that it is there. */
export type Verdict = 'allowed' | 'scope_missing' | 'level_too_low' | 'hidden';

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

export function can(principal: Principal, action: Scope, resource: Resource): Verdict {
  if (!holdsScope(principal, action)) return 'scope_missing';
  if (principal.kind === 'operator') return 'allowed';
  if (resource.accountId !== principal.accountId) return 'hidden';
  if (principal.projectIds === null) return 'allowed';
  // The account's own record is no secret to a credential of one of its projects.
  if (resource.projectId === null) return action === 'accounts:read' ? 'allowed' : 'level_too_low';
  return principal.projectIds.includes(resource.projectId) ? 'allowed' : 'hidden';
}

/** The operator belongs to no account, and holds no scope for what accounts hold. */
export function tenantOf(principal: Principal): Tenant {
  if (principal.kind === 'operator') throw new KeywardError('scope_missing');
  return principal;
}

/** The project that a caller means who names none: theirs, when they have exactly one. */
export const ownProject = ({ projectIds }: { projectIds: readonly string[] | null }) =>
  projectIds?.length === 1 ? projectIds[0]! : null;

/** Nobody grants a scope they do not hold; `*` only by those who hold `*`. */
export function mayGrant(principal: Principal, scopes: readonly GrantedScope[]): boolean {
  if (principal.kind === 'operator' || principal.scopes.has('*')) return true;
  return scopes.every((scope) => scope !== '*' && principal.scopes.has(scope));
}

/** `mayGrant`, as an exception. */
export function demandGrant(principal: Principal, scopes: readonly GrantedScope[]): void {
  if (mayGrant(principal, scopes)) return;
  throw new KeywardError(
    'grant_exceeds_own',
    `You cannot grant scopes you do not hold; this would take ${scopes.join(', ')}.`,
  );
}

/** A key to be created: what the right to create it depends on. */
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
export function demandCreation(principal: Principal, key: NewKey): void {
  const action = key.kind === 'api-key' ? 'keys:write' : 'access-keys:write';
  demand(principal, action, key, 'project_not_found');
  if (key.kind === 'access-key') demandGrant(principal, key.scopes);
}

/** `demandCreation`, as an answer. */
export function mayCreate(principal: Principal, key: NewKey): boolean {
  try {
    demandCreation(principal, key);
    return true;
  } catch (error) {
    if (error instanceof KeywardError) return false;
    throw error;
  }
}

/** Said to a person in the words of roles, to an access key in those of scopes. */
export function lacksScope(principal: Principal, action: Scope): KeywardError {
  const who = principal.kind === 'user' ? `Your role ${principal.role}` : 'This credential';
  return new KeywardError('scope_missing', `${who} lacks the scope ${action}.`);
}

function levelTooLow(principal: Principal): KeywardError {
  if (principal.kind !== 'user') return new KeywardError('level_too_low');
  return new KeywardError('level_too_low', 'This call needs a role in the whole account.');
}

/** `can`, as an exception: what may not be seen is answered like what is not there. */
export function demand(
  principal: Principal,
  action: Scope,
  resource: Resource,
  hiddenAs: ErrorCode,
): void {
  const verdict = can(principal, action, resource);
  if (verdict === 'allowed') return;
  if (verdict === 'hidden') throw new KeywardError(hiddenAs);
  throw verdict === 'scope_missing' ? lacksScope(principal, action) : levelTooLow(principal);
}
