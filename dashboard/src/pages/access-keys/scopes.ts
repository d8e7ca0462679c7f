import type { AccessKey } from '../../api/records.ts';

export type Scope = AccessKey['scopes'][number];
export type PlainScope = Exclude<Scope, '*'>;

/** Every scope in plain words: what it is called beside others of its kind, and what it allows. */
export const SCOPES: Record<PlainScope, { readonly label: string; readonly means: string }> = {
  'keys:validate': {
    label: 'Validate',
    means: 'Ask whether a key is valid, and get the record of a key whose value it has.',
  },
  'keys:read': { label: 'See', means: 'List keys and their records, values masked.' },
  'keys:write': {
    label: 'Manage',
    means: 'Create, change, rotate, revoke and erase keys. Sees the value of each key it makes.',
  },
  'analytics:read': { label: 'Analytics', means: 'Counts of validations over time.' },
  'audit:read': { label: 'Audit log', means: 'Who changed what, and when.' },
  'webhooks:read': { label: 'See', means: 'List webhooks and what was delivered.' },
  'webhooks:write': {
    label: 'Manage',
    means: 'Create, change, test, replay and delete webhooks: it decides where events go.',
  },
  'access-keys:read': { label: 'See', means: 'List access keys, values masked.' },
  'access-keys:write': {
    label: 'Manage',
    means: 'Make and end access keys like this one, never with more than it holds itself.',
  },
  'projects:read': { label: 'See projects', means: 'Names and states of projects.' },
  'projects:write': {
    label: 'Manage projects',
    means: 'Create, rename and deactivate projects, with all their keys.',
  },
  'invitations:read': { label: 'See the team', means: 'Members and invitations.' },
  'invitations:write': {
    label: 'Manage the team',
    means: 'Invite people, change roles, remove members.',
  },
  'accounts:read': { label: 'See the account', means: 'Its name and state.' },
  'accounts:write': { label: 'Change the account', means: 'Its name.' },
};

export const allScopes = Object.keys(SCOPES) as PlainScope[];

export const SCOPE_GROUPS: readonly {
  readonly label: string;
  readonly scopes: readonly PlainScope[];
}[] = [
  { label: 'API keys', scopes: ['keys:validate', 'keys:read', 'keys:write'] },
  { label: 'Insight', scopes: ['analytics:read', 'audit:read'] },
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

export const PRESETS = {
  validate: {
    label: 'Validate only',
    hint: 'For the servers that check keys on each request. The safest one to deploy.',
    scopes: ['keys:validate'],
  },
  manage: {
    label: 'Manage keys',
    hint: 'For the backend that issues and revokes keys for your customers.',
    scopes: ['keys:read', 'keys:write'],
  },
  read: {
    label: 'Read only',
    hint: 'For reports and monitoring. Sees everything but values, changes nothing.',
    scopes: allScopes.filter((scope) => scope.endsWith(':read')),
  },
  everything: {
    label: 'Everything',
    hint: 'For your own scripts and tests. Whoever holds it can do all that is possible here.',
    scopes: ['*'],
  },
} as const satisfies Record<string, { label: string; hint: string; scopes: readonly Scope[] }>;

export type Preset = keyof typeof PRESETS | 'custom';

const PRESET_NAMES = Object.keys(PRESETS) as (keyof typeof PRESETS)[];

export function presetOf(scopes: readonly Scope[]): Preset {
  const wanted = scopes.toSorted().join();
  return PRESET_NAMES.find((name) => PRESETS[name].scopes.toSorted().join() === wanted) ?? 'custom';
}

/** `Validate only`; where it is no preset, `keys:read and 2 more`. */
export function scopesText(scopes: readonly Scope[]): string {
  const preset = presetOf(scopes);
  if (preset !== 'custom') return PRESETS[preset].label;
  const more = scopes.length - 1;
  return more === 0 ? scopes[0]! : `${scopes[0]} and ${more} more`;
}

/** What a role may hand on; undefined: not known here, the server decides. */
export function grantableBy(role: string | undefined): ReadonlySet<Scope> {
  if (role === 'admin') return new Set(allScopes.filter((scope) => scope !== 'accounts:write'));
  return new Set<Scope>([...allScopes, '*']);
}
