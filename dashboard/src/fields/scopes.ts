import { ROLE_SCOPES } from '@keyward/rules/roles.ts';
import type { AccessKey } from 'keyward';
import type { Role } from '../api/me.ts';
import { type UsualScope, usualScopes, withUsual } from '../text/usual.ts';

export type Scope = AccessKey['scopes'][number];
export type PlainScope = Exclude<Scope, '*'>;

interface ScopeText {
  readonly label: string;
  readonly means: string;
}

const SPECIAL: Record<Exclude<PlainScope, UsualScope>, ScopeText> &
  Partial<Record<UsualScope, ScopeText>> = {
  'keys:validate': {
    label: 'Validate',
    means: 'Check whether a key is valid.',
  },
  'keys:read': { label: 'View', means: 'List keys and their details, with masked values.' },
  'keys:write': {
    label: 'Manage',
    means:
      'Create, update, rotate, revoke and delete keys, and see the value of each key it creates.',
  },
  'leaks:report': {
    label: 'Report leaks',
    means: 'Report leaked values, which revokes keys in projects that are set to do so.',
  },
  'plans:read': { label: 'View plans', means: 'List plans and their settings.' },
  'plans:write': {
    label: 'Manage plans',
    means: 'Create, update and delete plans, which decide what many keys may do.',
  },
  'customers:read': { label: 'View customers', means: 'List customers and their settings.' },
  'customers:write': { label: 'Manage customers', means: 'Create, update and delete customers.' },
  'credits:write': { label: 'Manage credits', means: 'Add and set credits of keys and customers.' },
  'portal:write': {
    label: 'Open the portal',
    means: 'Create and end portal sessions, in which customers manage their own keys.',
  },
  'analytics:read': { label: 'Analytics', means: 'View usage over time.' },
  'audit:read': { label: 'Audit log', means: 'View who changed what, and when.' },
  'webhooks:read': { label: 'View', means: 'List webhooks and their deliveries.' },
  'webhooks:write': {
    label: 'Manage',
    means: 'Create, update, test, replay and delete webhooks, which decides where events are sent.',
  },
  'access-keys:read': { label: 'View', means: 'List access keys, with masked values.' },
  'access-keys:write': {
    label: 'Manage',
    means: 'Create, update, rotate and revoke access keys, with at most its own scopes.',
  },
  'projects:read': { label: 'View projects', means: 'List projects and their status.' },
  'projects:write': {
    label: 'Manage projects',
    means:
      'Create, update and deactivate projects, including their default plan, portal and notices.',
  },
  'invitations:read': { label: 'View team', means: 'List teammates and invitations.' },
  'invitations:write': {
    label: 'Manage team',
    means: 'Invite and remove teammates, and change roles.',
  },
  'accounts:read': { label: 'View account', means: 'View its name and status.' },
  'accounts:write': {
    label: 'Manage account',
    means: 'Change its name, and see the state of the database and Redis.',
  },
};

/** Label of each scope within its group, and what it allows. */
export const SCOPES: Record<PlainScope, ScopeText> = withUsual(
  SPECIAL,
  usualScopes(
    (area) => ({ label: `View ${area}`, means: `List ${area}.` }),
    (area) => ({ label: `Manage ${area}`, means: `Create, update and delete ${area}.` }),
  ),
);

export const allScopes = Object.keys(SCOPES) as PlainScope[];

interface ScopeGroup {
  readonly label: string;
  readonly scopes: readonly PlainScope[];
}

const GROUPS: readonly ScopeGroup[] = [
  { label: 'API keys', scopes: ['keys:validate', 'keys:read', 'keys:write', 'leaks:report'] },
  {
    label: 'Plans and customers',
    scopes: [
      'plans:read',
      'plans:write',
      'customers:read',
      'customers:write',
      'credits:write',
      'portal:write',
    ],
  },
  { label: 'Reporting', scopes: ['analytics:read', 'audit:read'] },
  { label: 'Webhooks', scopes: ['webhooks:read', 'webhooks:write'] },
  { label: 'Access keys', scopes: ['access-keys:read', 'access-keys:write'] },
  {
    label: 'Projects, team and account',
    scopes: [
      'projects:read',
      'projects:write',
      'invitations:read',
      'invitations:write',
      'accounts:read',
      'accounts:write',
    ],
  },
];

const others = allScopes.filter((scope) => GROUPS.every(({ scopes }) => !scopes.includes(scope)));

export const SCOPE_GROUPS: readonly ScopeGroup[] =
  others.length === 0 ? GROUPS : [...GROUPS, { label: 'Others', scopes: others }];

export const PRESETS = {
  validate: {
    label: 'Validate only',
    hint: 'For servers that validate keys on each request. The safest choice.',
    scopes: ['keys:validate'],
  },
  manage: {
    label: 'Manage keys',
    hint: 'For the backend that issues and revokes keys for your customers.',
    scopes: ['keys:read', 'keys:write'],
  },
  read: {
    label: 'Read only',
    hint: 'For reports and monitoring. Can read everything except key values, portal sessions and the state of the servers.',
    scopes: allScopes.filter((scope) => scope.endsWith(':read')),
  },
  everything: {
    label: 'Full access',
    hint: 'For your own scripts and tests. Can do everything in its project or account.',
    scopes: ['*'],
  },
} as const satisfies Record<string, { label: string; hint: string; scopes: readonly Scope[] }>;

export type Preset = keyof typeof PRESETS | 'custom';

const PRESET_NAMES = Object.keys(PRESETS) as (keyof typeof PRESETS)[];

export function presetOf(scopes: readonly Scope[]): Preset {
  const wanted = scopes.toSorted().join();
  return PRESET_NAMES.find((name) => PRESETS[name].scopes.toSorted().join() === wanted) ?? 'custom';
}

/** Name of the preset, such as `Validate only`, or else `keys:read and 2 more`. */
export function scopesText(scopes: readonly Scope[]): string {
  const preset = presetOf(scopes);
  if (preset !== 'custom') return PRESETS[preset].label;
  const more = scopes.length - 1;
  return more === 0 ? scopes[0]! : `${scopes[0]} and ${more} more`;
}

/** Scopes that a role can grant. If the role is not loaded, all: the server decides. */
export function grantableBy(role: Role = 'owner'): ReadonlySet<Scope> {
  const granted = ROLE_SCOPES[role];
  return new Set(granted.includes('*') ? [...allScopes, '*'] : granted);
}
