import type { Immutable, ProjectColumns } from './columns.ts';

/** What plans, customers and keys can set. JSON arrays; null: unset. */
interface Policies {
  permissions: string | null;
  limits: string | null;
  allowed_ips: string | null;
}

export interface PlansTable extends ProjectColumns, Policies {
  name: string;
  /** JSON object: the pool that the plan opens; null: none. */
  credits: string | null;
  /** Counts the changes of the row. */
  revision: number;
}

/** Settings for all keys with the same `custom_account_id` in a project. */
export interface CustomersTable extends ProjectColumns, Policies {
  custom_account_id: Immutable<string>;
  name: string | null;
  email: string | null;
  plan_id: string | null;
  custom_meta_data: string;
  tags: string | null;
  /** From which days and months of its limits and credits are counted; null: its creation. */
  anchor: number | null;
  /** Counts the changes of the row. */
  revision: number;
}

/** A row exists while the session may be used, and after its end until the next sweep at the latest. */
export interface PortalSessionsTable {
  id: Immutable<string>;
  /** HMAC-SHA-256(pepper, SHA-256(token)), base64url. */
  hash: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string>;
  custom_account_id: Immutable<string>;
  /** JSON array of actions. */
  allow: Immutable<string>;
  /** JSON array: permissions that new keys may have; null: none of their own, they inherit. */
  permissions: Immutable<string | null>;
  return_url: Immutable<string | null>;
  created_by: Immutable<string>;
  created_at: Immutable<number>;
  expires_at: Immutable<number>;
}
