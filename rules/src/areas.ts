import { ACCESS_KEY } from './resources/access-key.ts';
import { API_KEY } from './resources/api-key.ts';
import { CUSTOMER } from './resources/customer.ts';
import type { Fields } from './resources/field.ts';
import { PLAN } from './resources/plan.ts';
import { PROJECT } from './resources/project.ts';

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
  /** Its description, if it has one. */
  readonly fields?: Fields;
}

type WithoutResource = Scopes & { readonly [Name in 'resource' | 'id' | 'fields']?: never };

type Area = OfResource | WithoutResource;

const BOTH = ['read', 'write'] as const;

/** The areas of the API, and the resource that requests create, update and delete in each. Scopes are in this order. */
export const AREAS = {
  keys: {
    scopes: ['validate', 'read', 'write'],
    forDevelopers: true,
    resource: 'api-key',
    id: 'key',
    fields: API_KEY,
  },
  projects: { scopes: BOTH, resource: 'project', id: 'prj', fields: PROJECT },
  accounts: { scopes: BOTH },
  'access-keys': { scopes: BOTH, resource: 'access-key', id: 'ak', fields: ACCESS_KEY },
  plans: { scopes: BOTH, forDevelopers: true, resource: 'plan', id: 'pln', fields: PLAN },
  customers: {
    scopes: BOTH,
    forDevelopers: true,
    resource: 'customer',
    id: 'cus',
    fields: CUSTOMER,
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

export type Resource = AreaWith<{ readonly resource: string }>['resource'];
export type ResourceIdPrefix = AreaWith<{ readonly id: string }>['id'];

const areas: readonly Area[] = Object.values(AREAS);

export const RESOURCES = areas.flatMap(({ resource }) => resource ?? []) as readonly Resource[];

export const RESOURCE_ID_PREFIXES = areas.flatMap(
  ({ id }) => id ?? [],
) as readonly ResourceIdPrefix[];

/** All descriptions of resources. */
export const DESCRIPTIONS: readonly Fields[] = areas.flatMap(({ fields }) =>
  fields ? [fields] : [],
);

/** `access-key`: `access key`. */
export const nounOf = (resource: Resource): string => resource.replaceAll('-', ' ');
