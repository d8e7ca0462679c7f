import type { Role } from '../api/me.ts';

/** Strongest first, in plain words. */
export const ROLES: readonly {
  readonly value: Role;
  readonly label: string;
  readonly may: string;
}[] = [
  { value: 'owner', label: 'Owner', may: 'Everything, the account itself included.' },
  { value: 'admin', label: 'Admin', may: 'Everything but changes to the account itself.' },
  {
    value: 'developer',
    label: 'Developer',
    may: 'Makes and changes keys and webhooks; sees everything else.',
  },
  { value: 'viewer', label: 'Viewer', may: 'Sees everything, changes nothing.' },
];

const rank = (role: Role): number => ROLES.findIndex(({ value }) => value === role);

/** Nobody gives a role that is stronger than their own. */
export const rolesUpTo = (own: Role | undefined) =>
  own === undefined ? ROLES : ROLES.filter(({ value }) => rank(value) >= rank(own));
