import type { Generated } from 'kysely';
import type { Flag, Immutable } from './columns.ts';

/** Who created and who last changed a row of projects or accounts. */
interface Provenance {
  created_by: Immutable<string>;
  created_by_type: Immutable<string>;
  /** Where it was created: `api`, `dashboard`, `cli` or `setup`. */
  created_in: Immutable<string>;
  last_changed_by: string;
  last_changed_by_type: string;
  created_at: Immutable<number>;
  updated_at: number;
}

export interface AccountsTable extends Provenance {
  id: Immutable<string>;
  name: string;
  is_active: Flag;
}

export interface ProjectsTable extends Provenance {
  id: Immutable<string>;
  account_id: Immutable<string>;
  name: string;
  env: Immutable<'live' | 'test'>;
  is_active: Flag;
  /** Prefix of new key values; null: `live_` or `test_`. */
  key_prefix: string | null;
  /** The plan for keys that have none of their own and none from their customer. */
  default_plan_id: string | null;
  /** JSON array of the patterns by which usage is counted; null: none. */
  resources: string | null;
  /** JSON array of the units that requests can cost; null: none besides requests and credits. */
  units: string | null;
  /** What happens to its keys when their values are reported as leaked. */
  on_leak: Generated<'notify' | 'revoke'>;
  /** What the portal shows to customers. */
  brand_name: string | null;
  /** `#rrggbb` */
  accent_color: string | null;
  /** Hash of the image in project_logos; null: no logo. */
  logo_hash: string | null;
  /** JSON array of the sites that may embed the portal; null: none. */
  portal_origins: string | null;
  /** JSON object; null: the defaults. */
  notices: string | null;
  /** JSON object; null: no usage events. */
  usage_events: string | null;
}

export interface ProjectLogosTable {
  project_id: Immutable<string>;
  /** Base64. */
  png: string;
}
