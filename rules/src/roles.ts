interface Area {
  readonly scopes: readonly string[];
  /** Developers hold all its scopes, not only `read`. */
  readonly forDevelopers?: true;
  /** The audit log has actions `<resource>.created`, `.updated` and `.deleted`. */
  readonly resource?: string;
}

const BOTH = ['read', 'write'] as const;

/** The areas of the API. Scopes are listed in this order. */
const AREAS = {
  keys: { scopes: ['validate', 'read', 'write'], forDevelopers: true, resource: 'api-key' },
  projects: { scopes: BOTH, resource: 'project' },
  accounts: { scopes: BOTH },
  'access-keys': { scopes: BOTH, resource: 'access-key' },
  plans: { scopes: BOTH, forDevelopers: true, resource: 'plan' },
  customers: { scopes: BOTH, forDevelopers: true, resource: 'customer' },
  credits: { scopes: ['write'], forDevelopers: true },
  portal: { scopes: ['write'], forDevelopers: true },
  webhooks: { scopes: BOTH, forDevelopers: true, resource: 'webhook' },
  analytics: { scopes: ['read'] },
  invitations: { scopes: BOTH, resource: 'invitation' },
  audit: { scopes: ['read'] },
  leaks: { scopes: ['report'], forDevelopers: true },
} as const satisfies Record<string, Area>;
type Areas = typeof AREAS;

/** What a credential can be allowed to do. */
export type Scope = {
  [Name in keyof Areas]: `${Name}:${Areas[Name]['scopes'][number]}`;
}[keyof Areas];

/** The resources that requests create, update and delete. */
export type Resource = Extract<Areas[keyof Areas], { readonly resource: string }>['resource'];

const scopesOf = (isWanted: (area: Area) => boolean): readonly Scope[] =>
  Object.entries<Area>(AREAS).flatMap(([name, area]) =>
    isWanted(area) ? area.scopes.map((scope) => `${name}:${scope}` as Scope) : [],
  );

export const SCOPES = scopesOf(() => true);
export type GrantedScope = Scope | '*';

/** The roles of users, most powerful first. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const isReading = (scope: Scope) => scope.endsWith(':read');
const READING = SCOPES.filter(isReading);

export const ROLE_SCOPES: Record<Role, readonly GrantedScope[]> = {
  owner: ['*'],
  admin: SCOPES.filter((scope) => scope !== 'accounts:write'),
  developer: [
    ...READING,
    ...scopesOf(({ forDevelopers }) => forDevelopers === true).filter((scope) => !isReading(scope)),
  ],
  viewer: READING,
};

export const roleHolds = (role: Role, scope: Scope): boolean =>
  ROLE_SCOPES[role].some((granted) => granted === '*' || granted === scope);
