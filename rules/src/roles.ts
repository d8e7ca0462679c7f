import { AREAS } from './areas.ts';

type Areas = typeof AREAS;

/** What a credential can be allowed to do. */
export type Scope = {
  [Name in keyof Areas]: `${Name}:${Areas[Name]['scopes'][number]}`;
}[keyof Areas];

interface Area {
  readonly scopes: readonly string[];
  readonly forDevelopers?: true;
}

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
