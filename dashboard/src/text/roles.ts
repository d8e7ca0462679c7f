import type { Role } from '../api/me.ts';

/** Roles with the most permissions first. */
export const ROLES: readonly {
  readonly value: Role;
  readonly label: string;
  readonly hint: string;
}[] = [
  { value: 'owner', label: 'Owner', hint: 'Full access, including account settings.' },
  { value: 'admin', label: 'Admin', hint: 'Full access, except account settings.' },
  {
    value: 'developer',
    label: 'Developer',
    hint: 'Can manage keys, plans, customers, credits and webhooks, and view the rest of the project.',
  },
  { value: 'viewer', label: 'Viewer', hint: 'Read-only access.' },
];

const rank = (role: Role): number => ROLES.findIndex(({ value }) => value === role);

/** Roles that a user can give: not above their own. */
export const rolesUpTo = (own: Role | undefined) =>
  own === undefined ? ROLES : ROLES.filter(({ value }) => rank(value) >= rank(own));
