import type { Flag, Immutable } from './columns.ts';

// better-auth's tables under our names: users, sessions, credentials, verifications, two_factors,
// passkeys. See docs/decisions/0025-sign-in.md.

export interface UsersTable {
  id: Immutable<string>;
  name: string;
  /** In lower case. */
  email: string;
  email_verified: Flag;
  image: string | null;
  two_factor_enabled: Flag;
  /** null: no sign-in since this column was added. */
  last_sign_in_at: number | null;
  created_at: Immutable<number>;
  updated_at: number;
}

export interface SessionsTable {
  id: Immutable<string>;
  user_id: Immutable<string>;
  /** SHA-256 of the cookie value. */
  token: string;
  ip_address: string | null;
  user_agent: string | null;
  expires_at: number;
  /** When the person last confirmed their identity, after the sign-in itself. */
  confirmed_at: number | null;
  created_at: Immutable<number>;
  updated_at: number;
}

/** A password, or a login elsewhere; `account_id` is the person's id there. */
export interface CredentialsTable {
  id: Immutable<string>;
  user_id: Immutable<string>;
  account_id: string;
  provider_id: string;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: number | null;
  refresh_token_expires_at: number | null;
  scope: string | null;
  /** argon2id, see features/people/login/passwords/hasher.ts. */
  password: string | null;
  created_at: Immutable<number>;
  updated_at: number;
}

/** Pending verifications: logins that wait for a second factor, challenges, reset links. */
export interface VerificationsTable {
  id: Immutable<string>;
  /** Hashed. */
  identifier: string;
  value: string;
  expires_at: number;
  created_at: Immutable<number>;
  updated_at: number;
}

export interface TwoFactorsTable {
  id: Immutable<string>;
  user_id: Immutable<string>;
  /** Encrypted. */
  secret: string;
  /** Encrypted. */
  backup_codes: string;
  verified: Flag;
  failed_verification_count: number;
  locked_until: number | null;
}

export interface PasskeysTable {
  id: Immutable<string>;
  user_id: Immutable<string>;
  name: string | null;
  public_key: string;
  credential_id: string;
  counter: number;
  device_type: string;
  backed_up: Flag;
  transports: string | null;
  aaguid: string | null;
  created_at: number | null;
}

/** Browsers in which people have signed in: see docs/decisions/0041-sign-in-limits.md. */
export interface KnownBrowsersTable {
  /** SHA-256 of the cookie value. */
  token_hash: string;
  user_id: Immutable<string>;
  signed_in_at: Immutable<number>;
  expires_at: Immutable<number>;
}

/** Which role a person has in which account. */
export interface MembershipsTable {
  account_id: Immutable<string>;
  user_id: Immutable<string>;
  role: string;
  /** JSON array of project ids; null: the whole account. */
  project_ids: string | null;
  created_at: Immutable<number>;
  updated_at: number;
}

export interface InvitationsTable {
  id: Immutable<string>;
  account_id: Immutable<string>;
  email: Immutable<string>;
  role: string;
  /** JSON array of project ids; null: the whole account. */
  project_ids: string | null;
  /** `expired` is never stored: it follows from expires_at. */
  status: 'pending' | 'accepted' | 'cancelled';
  invited_by: Immutable<string>;
  token_hash: string;
  created_at: Immutable<number>;
  updated_at: number;
  expires_at: number;
  accepted_by: string | null;
  /** null: not sent by email. */
  email_status: 'queued' | 'sent' | 'failed' | null;
}

/** Unsent mail; a row is deleted when the mail is sent or the retries are exhausted. */
export interface MailsTable {
  id: Immutable<string>;
  /** The invitation whose `email_status` shows the outcome. */
  invitation_id: Immutable<string | null>;
  /** Recipient, subject and text as JSON, encrypted: it may contain a one-time link. */
  content: Immutable<string>;
  attempts: number;
  due_at: number;
  created_at: Immutable<number>;
}

export interface SetupLinksTable {
  token_hash: Immutable<string>;
  account_id: Immutable<string>;
  expires_at: number;
  used_at: number | null;
  created_at: Immutable<number>;
}
