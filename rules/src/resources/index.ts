import type { ResourceArea } from '../areas.ts';
import { ACCESS_KEY } from './access-key.ts';
import { API_KEY } from './api-key.ts';
import { CUSTOMER } from './customer.ts';
import type { Fields } from './field.ts';
import { PLAN } from './plan.ts';
import { PROJECT } from './project.ts';

/** The descriptions of resources, by area. Not in the table of areas, which every page of the dashboard loads. */
export const DESCRIPTIONS = {
  keys: API_KEY,
  projects: PROJECT,
  'access-keys': ACCESS_KEY,
  plans: PLAN,
  customers: CUSTOMER,
} as const satisfies { readonly [Area in ResourceArea]?: Fields };

export type DescribedArea = keyof typeof DESCRIPTIONS;
