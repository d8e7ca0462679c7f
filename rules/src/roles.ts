/** What a credential can be allowed to do. */
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
  'plans:read',
  'plans:write',
  'customers:read',
  'customers:write',
  'credits:write',
  'portal:write',
  'webhooks:read',
  'webhooks:write',
  'analytics:read',
  'invitations:read',
  'invitations:write',
  'audit:read',
  'leaks:report',
] as const;
export type Scope = (typeof SCOPES)[number];
export type GrantedScope = Scope | '*';

/** The roles of users, most powerful first. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const READING = SCOPES.filter((scope) => scope.endsWith(':read'));

export const ROLE_SCOPES: Record<Role, readonly GrantedScope[]> = {
  owner: ['*'],
  admin: SCOPES.filter((scope) => scope !== 'accounts:write'),
  developer: [
    ...READING,
    'keys:validate',
    'keys:write',
    'plans:write',
    'customers:write',
    'credits:write',
    'portal:write',
    'webhooks:write',
    'leaks:report',
  ],
  viewer: READING,
};

export const roleHolds = (role: Role, scope: Scope): boolean =>
  ROLE_SCOPES[role].some((granted) => granted === '*' || granted === scope);
