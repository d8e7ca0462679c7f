interface Scopes {
  readonly scopes: readonly string[];
  /** Developers hold all its scopes, not only `read`. */
  readonly forDevelopers?: true;
}

interface OfResource extends Scopes {
  /** The audit log has actions `<resource>.created`, `.updated` and `.deleted`. */
  readonly resource: string;
  /** The prefix of its ids. */
  readonly id: string;
}

type WithoutResource = Scopes & { readonly [Name in 'resource' | 'id']?: never };

type Area = OfResource | WithoutResource;

const BOTH = ['read', 'write'] as const;

/** The areas of the API, and the resource that requests create, update and delete in each. Scopes are in this order. */
export const AREAS = {
  keys: {
    scopes: ['validate', 'read', 'write'],
    forDevelopers: true,
    resource: 'api-key',
    id: 'key',
  },
  projects: { scopes: BOTH, resource: 'project', id: 'prj' },
  accounts: { scopes: BOTH },
  'access-keys': { scopes: BOTH, resource: 'access-key', id: 'ak' },
  plans: { scopes: BOTH, forDevelopers: true, resource: 'plan', id: 'pln' },
  customers: {
    scopes: BOTH,
    forDevelopers: true,
    resource: 'customer',
    id: 'cus',
  },
  credits: { scopes: ['write'], forDevelopers: true },
  portal: { scopes: ['write'], forDevelopers: true },
  webhooks: { scopes: BOTH, forDevelopers: true, resource: 'webhook', id: 'whk' },
  analytics: { scopes: ['read'] },
  invitations: { scopes: BOTH, resource: 'invitation', id: 'inv' },
  audit: { scopes: ['read'] },
  leaks: { scopes: ['report'], forDevelopers: true },
} as const satisfies Record<string, Area>;

type Areas = typeof AREAS;
type AreaWith<Property> = Extract<Areas[keyof Areas], Property>;

/** The areas with a resource. */
export type ResourceArea = {
  [Name in keyof Areas]: Areas[Name] extends { readonly resource: string } ? Name : never;
}[keyof Areas];

export type Resource = AreaWith<{ readonly resource: string }>['resource'];
export type ResourceIdPrefix = AreaWith<{ readonly id: string }>['id'];

const areas: readonly Area[] = Object.values(AREAS);

export const RESOURCES = areas.flatMap(({ resource }) => resource ?? []) as readonly Resource[];

export const RESOURCE_ID_PREFIXES = areas.flatMap(
  ({ id }) => id ?? [],
) as readonly ResourceIdPrefix[];

/** `access-key`: `access key`. */
export const nounOf = (resource: Resource): string => resource.replaceAll('-', ' ');
