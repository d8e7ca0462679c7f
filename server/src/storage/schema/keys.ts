import type { Generated } from 'kysely';
import type { Flag, Immutable } from './columns.ts';

export interface ApiKeysTable {
  seq: Generated<number>;
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string>;
  name: string;
  /** HMAC-SHA-256(pepper, SHA-256(value)), base64url. Unique in its account. */
  hash: string;
  mask: string;
  custom_meta_data: string;
  custom_account_id: string | null;
  custom_user_id: string | null;
  is_active: Flag;
  expires_at: number | null;
  rate_limit: number | null;
  rate_limit_ttl: number | null;
  allowed_domains: string | null;
  /** JSON arrays; null: unset. */
  permissions: string | null;
  allowed_ips: string | null;
  tags: string | null;
  plan_id: string | null;
  /** JSON array; null: unset. */
  limits: string | null;
  /** The key is refused before this time. */
  starts_at: number | null;
  creation_context: Immutable<string>;
  /** Id of the first key in its chain of rotations. A chain shares rate-limit windows and credits. */
  limit_group: Immutable<string>;
  /** Id of the key that this one replaces; it may have been erased since. */
  rotated_from: Immutable<string | null>;
  /** Id of the key that replaces this one: the latest, if it was rotated more than once. */
  rotated_to: string | null;
  created_at: Immutable<number>;
  updated_at: number;
}

/** Separate from api_keys, so that the flush every 250 ms touches few and small pages. */
export interface KeyUsageTable {
  key_seq: Immutable<number>;
  first_used_at: Immutable<number>;
  last_used_at: number;
}

export interface AccessKeysTable {
  seq: Generated<number>;
  id: Immutable<string>;
  account_id: Immutable<string>;
  /** null: account level. */
  project_id: Immutable<string | null>;
  name: string;
  /** As in api_keys, but unique in the whole installation: it identifies the caller. */
  hash: string;
  mask: string;
  /** JSON array of scope names. */
  scopes: string;
  is_active: Flag;
  expires_at: number | null;
  rate_limit: number | null;
  rate_limit_ttl: number | null;
  last_used_at: number | null;
  /** Id of the key that this one replaces; it may have been erased since. */
  rotated_from: Immutable<string | null>;
  /** Id of the key that replaces this one: the latest, if it was rotated more than once. */
  rotated_to: string | null;
  created_at: Immutable<number>;
  updated_at: number;
}

/** Keys and access keys that were reported as leaked; never their values. */
export interface LeaksTable {
  id: Immutable<string>;
  account_id: Immutable<string>;
  /** null: an access key of the account. */
  project_id: Immutable<string | null>;
  key_id: Immutable<string>;
  source: Immutable<string>;
  url: Immutable<string | null>;
  /** SHA-256 of source and url: the same place is stored once for each key. */
  fingerprint: Immutable<string>;
  action: 'notified' | 'revoked';
  /** How often it was reported. */
  reports: number;
  created_at: Immutable<number>;
  updated_at: number;
}
