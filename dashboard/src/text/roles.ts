import type { Role } from '../api/me.ts';

/** Strongest first, in plain words. */
export const ROLES: readonly {
  readonly value: Role;
  readonly label: string;
  readonly may: string;
}[] = [
  { value: 'owner', label: 'Owner', may: 'Full access, including account settings.' },
  { value: 'admin', label: 'Admin', may: 'Full access, except account settings.' },
  {
    value: 'developer',
    label: 'Developer',
    may: 'Can create and edit keys and webhooks, and view everything else.',
  },
  { value: 'viewer', label: 'Viewer', may: 'Read-only access.' },
];

const rank = (role: Role): number => ROLES.findIndex(({ value }) => value === role);

/** Nobody gives a role that is stronger than their own. */
export const rolesUpTo = (own: Role | undefined) =>
  own === undefined ? ROLES : ROLES.filter(({ value }) => rank(value) >= rank(own));
