import type { ColumnType, Generated } from 'kysely';

/**
 * The tables, the same on both engines: times are integer milliseconds, booleans 0 or 1, JSON is
 * text. `seq` is the small integer that usage rows refer to, so that they stay dense.
 */
export interface Database {
  installation: InstallationTable;
  accounts: AccountsTable;
  projects: ProjectsTable;
  project_logos: ProjectLogosTable;
  plans: PlansTable;
  customers: CustomersTable;
  credit_pools: CreditPoolsTable;
  credit_blocks: CreditBlocksTable;
  api_keys: ApiKeysTable;
  key_usage: KeyUsageTable;
  access_keys: AccessKeysTable;
  portal_sessions: PortalSessionsTable;
  invitations: InvitationsTable;
  idempotency: IdempotencyTable;
  audit_log: AuditLogTable;
  audit_seals: AuditSealsTable;
  /** Only on PostgreSQL. */
  audit_unsealed: { seq: number };
  /** Only on SQLite, like the next three: lookup tables for sealed rows of the audit log. */
  audit_by_id: { id: string; seq: number };
  audit_by_account: AuditLookup & Pick<AuditLogTable, 'account_id' | 'action' | 'project_id'>;
  audit_by_target: AuditLookup & Pick<AuditLogTable, 'target_id'>;
  audit_by_actor: AuditLookup & Pick<AuditLogTable, 'actor_id'>;
  rate_windows: RateWindowsTable;
  users: UsersTable;
  sessions: SessionsTable;
  credentials: CredentialsTable;
  verifications: VerificationsTable;
  two_factors: TwoFactorsTable;
  known_browsers: KnownBrowsersTable;
  passkeys: PasskeysTable;
  memberships: MembershipsTable;
  mails: MailsTable;
  setup_links: SetupLinksTable;
  webhooks: WebhooksTable;
  events: EventsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  webhook_replays: WebhookReplaysTable;
  usage_minutes: KeyCountsTable;
  usage_quarters: KeyCountsTable;
  usage_days: KeyCountsTable;
  usage_months: KeyCountsTable;
  access_usage_minutes: AccessKeyCountsTable;
  access_usage_quarters: AccessKeyCountsTable;
  access_usage_days: AccessKeyCountsTable;
  project_usage: ProjectUsageTable;
  project_minutes: KeyCountsTable;
  project_quarters: KeyCountsTable;
  project_days: KeyCountsTable;
  usage_journal: UsageJournalTable;
  usage_flushes: UsageFlushesTable;
  usage_watermarks: UsageWatermarksTable;
  refusals: RefusalsTable;
  refusal_omissions: RefusalOmissionsTable;
  leaks: LeaksTable;
  expiry_schedule: ExpiryScheduleTable;
  expiry_rescans: ExpiryRescansTable;
  expiry_notices: ExpiryNoticesTable;
  threshold_notices: ThresholdNoticesTable;
  notice_mails: NoticeMailsTable;
  usage_periods: UsagePeriodsTable;
  audit_streams: AuditStreamsTable;
  signal_cursors: SignalCursorsTable;
}

/** 0 or 1. */
export type Flag = 0 | 1;
type Immutable<T> = ColumnType<T, T, never>;

interface InstallationTable {
  name: Immutable<string>;
  value: string;
}

/** Who created and who last changed a row of projects or accounts. */
interface Provenance {
  created_by: Immutable<string>;
  created_by_type: Immutable<string>;
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
  /** Of new key values; null: `live_` or `test_`. */
  key_prefix: string | null;
  /** The plan of keys without one of their own or of their customer. */
  default_plan_id: string | null;
  /** What happens to its keys when their values are reported as leaked. */
  on_leak: Generated<'notify' | 'revoke'>;
  /** What the portal shows to customers. */
  brand_name: string | null;
  /** `#rrggbb` */
  accent_color: string | null;
  /** Of the image in project_logos; null: there is none. */
  logo_hash: string | null;
  /** JSON array of the sites that may embed the portal; null: none. */
  portal_origins: string | null;
  /** JSON object; null: the defaults. */
  notices: string | null;
  /** JSON object; null: no usage events. */
  usage_events: string | null;
}

interface ProjectLogosTable {
  project_id: Immutable<string>;
  /** Base64. */
  png: string;
}

/** What plans, customers and keys can set. JSON arrays; null: unset. */
interface Policies {
  permissions: string | null;
  limits: string | null;
  allowed_ips: string | null;
}

export interface PlansTable extends Policies {
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string>;
  name: string;
  /** JSON object: the pool that the plan opens; null: none. */
  credits: string | null;
  /** Counts the changes of the row. */
  revision: number;
  created_at: Immutable<number>;
  updated_at: number;
}

/** Settings for all keys with one `custom_account_id` in a project. */
export interface CustomersTable extends Policies {
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string>;
  custom_account_id: Immutable<string>;
  name: string | null;
  email: string | null;
  plan_id: string | null;
  custom_meta_data: string;
  tags: string | null;
  /** Counts the changes of the row. */
  revision: number;
  created_at: Immutable<number>;
  updated_at: number;
}

/** `owner`: the `limit_group` of a key, or the `custom_account_id` of a customer. */
interface CreditOwner {
  project_id: Immutable<string>;
  owner_type: Immutable<'key' | 'customer'>;
  owner: Immutable<string>;
}

/** Prepaid requests, see docs/decisions/0059-limits-and-credits.md. */
export interface CreditPoolsTable extends CreditOwner {
  account_id: Immutable<string>;
  /** Without what the blocks of nodes hold. */
  remaining: number;
  /** To be deducted when blocks are returned. */
  owed: number;
  refill_amount: number | null;
  refill_interval: 'hour' | 'day' | 'week' | 'month' | null;
  refill_timezone: string | null;
  next_refill_at: number | null;
  /** The plan that opened it and sets its refills; null: set by hand. */
  plan_id: string | null;
  /** The balance after the last set, add or refill; null: older than this column. */
  starting_balance: number | null;
  /** What was announced since then. 0: nothing; 1: `credits.low`; 2: `credits.exhausted`. */
  noticed: Generated<number>;
  created_at: Immutable<number>;
  updated_at: number;
}

/** Credits that a node may spend until `ends_at`. */
export interface CreditBlocksTable extends CreditOwner {
  node: Immutable<string>;
  /** Distinguishes the blocks that a node has had of a pool. */
  number: number;
  amount: number;
  spent: number;
  ends_at: number;
}

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
  /** The rate-limit window this key counts in: its own id, or that of the key it was rotated from. */
  limit_group: Immutable<string>;
  /** Id of the key that this one replaces; it may have been erased since. */
  rotated_from: Immutable<string | null>;
  /** Id of the key that replaces this one: the latest, if it was rotated more than once. */
  rotated_to: string | null;
  created_at: Immutable<number>;
  updated_at: number;
}

/** A row exists only while the session may be used, or until the next sweep. */
export interface PortalSessionsTable {
  id: Immutable<string>;
  /** HMAC-SHA-256(pepper, SHA-256(token)), base64url. */
  hash: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string>;
  custom_account_id: Immutable<string>;
  /** JSON array of actions. */
  allow: Immutable<string>;
  /** JSON array; null: no cap. */
  permissions: Immutable<string | null>;
  return_url: Immutable<string | null>;
  created_by: Immutable<string>;
  created_at: Immutable<number>;
  expires_at: Immutable<number>;
}

/** Separate from api_keys, so that the flush every 250 ms touches few and small pages. */
interface KeyUsageTable {
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

/** The next six tables are those of better-auth, with our names: see docs/decisions/0025-sign-in.md. */
export interface UsersTable {
  id: Immutable<string>;
  name: string;
  /** In lower case. */
  email: string;
  email_verified: Flag;
  image: string | null;
  two_factor_enabled: Flag;
  /** null: no sign-in since this column exists. */
  last_sign_in_at: number | null;
  created_at: Immutable<number>;
  updated_at: number;
}

/** Browsers in which people have signed in: see docs/decisions/0041-sign-in-limits.md. */
interface KnownBrowsersTable {
  /** SHA-256 of the cookie value. */
  token_hash: string;
  user_id: Immutable<string>;
  signed_in_at: Immutable<number>;
  expires_at: Immutable<number>;
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
interface CredentialsTable {
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
interface VerificationsTable {
  id: Immutable<string>;
  /** Hashed. */
  identifier: string;
  value: string;
  expires_at: number;
  created_at: Immutable<number>;
  updated_at: number;
}

interface TwoFactorsTable {
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

interface PasskeysTable {
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

/** Unsent mail; a row is deleted when the mail is sent or the retries are exhausted. */
export interface MailsTable {
  id: Immutable<string>;
  /** The invitation whose `email_status` shows the outcome. */
  invitation_id: Immutable<string | null>;
  /** Recipient, subject and text as JSON, encrypted: it contains a one-time link. */
  content: Immutable<string>;
  attempts: number;
  due_at: number;
  created_at: Immutable<number>;
}

interface IdempotencyTable {
  principal_id: Immutable<string>;
  route: Immutable<string>;
  idempotency_key: Immutable<string>;
  request_hash: Immutable<string>;
  status: Immutable<number>;
  /** The response, encrypted: it may contain a key value. */
  response: Immutable<string>;
  /** The created resource: erasing it also erases this row. */
  resource_id: Immutable<string>;
  expires_at: Immutable<number>;
}

export interface AuditLogTable {
  seq: Generated<number>;
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string | null>;
  actor_type: Immutable<string>;
  actor_id: Immutable<string>;
  action: Immutable<string>;
  target_type: Immutable<string>;
  target_id: Immutable<string>;
  before: Immutable<string | null>;
  after: Immutable<string | null>;
  request_id: Immutable<string | null>;
  client_address: Immutable<string | null>;
  user_agent: Immutable<string | null>;
  created_at: Immutable<number>;
}

interface AuditLookup extends Pick<AuditLogTable, 'id' | 'created_at'> {
  seq: number;
}

/** The chain over the audit log, see docs/decisions/0011-audit-chain.md. */
export interface AuditSealsTable {
  /** Position of the last row it seals: from 1, without gaps, in the order of sealing. */
  position: Immutable<number>;
  audit_seq: Immutable<number>;
  hash: Immutable<string>;
  sealed_at: Immutable<number>;
  /** `seq hash` of each row before the last, in order, one per line; null if there is none. */
  links: Immutable<string | null>;
}

/** Open rate-limit windows, saved at a graceful stop and removed at the next start. */
interface RateWindowsTable {
  limit_group: Immutable<string>;
  reset_at: number;
  consumed: number;
  /** Only of sliding windows: their length, and the count of the window before. */
  window_ms: number | null;
  previous: number | null;
}

interface SetupLinksTable {
  token_hash: Immutable<string>;
  account_id: Immutable<string>;
  expires_at: number;
  used_at: number | null;
  created_at: Immutable<number>;
}

export interface WebhooksTable {
  id: Immutable<string>;
  account_id: Immutable<string>;
  /** null: all projects of the account, and events that belong to none. */
  project_id: string | null;
  name: string;
  url: string;
  /** JSON array of topics. */
  topics: string;
  http_method: 'POST' | 'PUT';
  format: Generated<'standard' | 'cloudevents'>;
  /** `disabled`: by the server, after persistent failure. */
  status: 'live' | 'paused' | 'disabled';
  disabled_reason: string | null;
  /** A JSON object, encrypted: headers often contain credentials. */
  custom_headers: string;
  /** Encrypted. */
  secret: string;
  /** Encrypted; also used for signatures until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** Time of the first failure since the last success; null while deliveries succeed. */
  failing_since: number | null;
  /** JSON: who set each setting that determines what is sent where; null: unknown. */
  set_by: string | null;
  created_at: Immutable<number>;
  updated_at: number;
  /** Deleted webhooks are kept, invisible, for the history of their deliveries. */
  deleted_at: number | null;
}

export interface EventsTable {
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string | null>;
  type: Immutable<string>;
  /** The record as JSON, as the API shows it: secrets masked. */
  data: Immutable<string>;
  /** The record with its key value, encrypted; erased after the last delivery. */
  sealed_data: string | null;
  /** JSON: the customer that made the change in the portal; null for all others. */
  actor: Immutable<string | null>;
  /** The traced request that made the change; null for all others. */
  traceparent: ColumnType<string | null, string | null | undefined, never>;
  created_at: Immutable<number>;
}

/** `held`: the project is inactive or the webhook not live; sent when that changes. */
export type DeliveryStatus = 'pending' | 'held' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveriesTable {
  id: Immutable<string>;
  event_id: Immutable<string>;
  webhook_id: Immutable<string>;
  account_id: Immutable<string>;
  /** Project of the event. */
  project_id: Immutable<string | null>;
  status: DeliveryStatus;
  /** 0: first attempt, sent first. 1: a retry. */
  lane: Flag;
  attempts: number;
  due_at: number;
  lease_token: string | null;
  lease_until: number | null;
  last_status_code: number | null;
  last_error: string | null;
  replay_id: Immutable<string | null>;
  /** 1: sent with the key value, as long as the event has it. Otherwise: with the mask. */
  carries_value: ColumnType<Flag | null, Flag | undefined, 0>;
  created_at: Immutable<number>;
  updated_at: number;
}

export interface DeliveryAttemptsTable {
  seq: Generated<number>;
  delivery_id: Immutable<string>;
  started_at: Immutable<number>;
  duration_ms: Immutable<number>;
  status_code: Immutable<number | null>;
  error: Immutable<string | null>;
  response_body: Immutable<string | null>;
}

/** A running replay: queued in batches, so that it continues after a restart. */
export interface WebhookReplaysTable {
  id: Immutable<string>;
  webhook_id: Immutable<string>;
  account_id: Immutable<string>;
  since: Immutable<number>;
  until: Immutable<number>;
  status: 'running' | 'done' | 'cancelled';
  /** Id of the last event processed. */
  cursor: string;
  total: number;
  queued: number;
  created_at: Immutable<number>;
  updated_at: number;
}

/** Validations by outcome, in the interval that begins at `start` and that the table is named after. */
export interface KeyCountsTable {
  start: Immutable<number>;
  /** `seq` of the key; in the tables of projects, of the row in project_usage. */
  seq: Immutable<number>;
  valid: number;
  rate_limited: number;
  revoked: number;
  expired: number;
  domain_denied: number;
  not_started: number;
  ip_denied: number;
  permission_denied: number;
  credits_exhausted: number;
  /** Sum of the costs of valid requests, minus their number. */
  extra_cost: number;
}

/** Counted by the access key of the caller; the validated values may be unknown. */
export interface AccessKeyCountsTable extends KeyCountsTable {
  unknown: number;
  malformed: number;
}

interface ProjectUsageTable {
  seq: Generated<number>;
  project_id: Immutable<string>;
  first_used_at: number | null;
  last_used_at: number | null;
}

/** Counts of many keys within one minute, not yet added to their rows. */
interface UsageJournalTable {
  id: Generated<number>;
  minute: Immutable<number>;
  entries: Uint8Array;
  /** 1: part of the batch that is being added. */
  folding: Flag;
}

/** The last batch written by each running node, so that none is written twice. */
interface UsageFlushesTable {
  node_id: Immutable<string>;
  batch: number;
  flushed_at: number;
}

/** How far a level has been rolled up into the next one, and up to which `seq` in the current interval. */
export interface UsageWatermarksTable {
  level: Immutable<string>;
  rolled_until: number;
  cursor: number;
}

/** Keys that expire, and when to look at each next. Filled by triggers on `api_keys`. */
interface ExpiryScheduleTable {
  key_seq: Immutable<number>;
  due_at: number;
}

/** Projects whose notices were changed: all of their keys are scheduled again. */
interface ExpiryRescansTable {
  project_id: Immutable<string>;
  after_id: string;
}

/** Notices that were sent. `step`: days before the expiry; 0: the expiry itself. */
interface ExpiryNoticesTable {
  expires_at: Immutable<number>;
  key_seq: Immutable<number>;
  step: Immutable<number>;
}

/** The last notice of each counter and threshold. */
interface ThresholdNoticesTable {
  counter: Immutable<string>;
  percent: Immutable<number>;
  window_ends: number;
  noticed_at: number;
}

/** Mails about notices, at most one a day for each project and kind. `due_at` null: nothing new. */
interface NoticeMailsTable {
  project_id: Immutable<string>;
  kind: Immutable<'expiry' | 'limits' | 'credits'>;
  due_at: number | null;
  sent_at: number | null;
}

/** The next usage event of a project: its period, its part, and the last row of the part before. */
export interface UsagePeriodsTable {
  project_id: Immutable<string>;
  start: number;
  part: number;
  after: string;
  /** The `usage_events` of the project at part 1; null before that. */
  settings: string | null;
}

/** The number of the last audit event of an account. */
interface AuditStreamsTable {
  account_id: Immutable<string>;
  number: number;
}

interface SignalCursorsTable {
  name: Immutable<string>;
  position: number;
}

/** Row in `installation`: value derived from the root secret. The name is also that of the first-start lock. */
export const CHECK_VALUE = 'secret check value';

/** Row in `installation`: written and deleted again to test whether the disk has space. */
export const SPACE_CHECK = 'space check';

/** Row in `installation`: progress of a move into this database. */
export const MOVE = 'move';

/** Samples of refused validations, see docs/decisions/0062-refusals-and-leaks.md. */
export interface RefusalsTable {
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string>;
  key_seq: Immutable<number>;
  /** null: a person tried the key in the dashboard. */
  access_key_seq: Immutable<number | null>;
  time: Immutable<number>;
  code: Immutable<string>;
  client_ip: Immutable<string | null>;
  origin: Immutable<string | null>;
  /** JSON array. */
  missing: Immutable<string | null>;
  limit_name: Immutable<string | null>;
  cost: Immutable<number>;
}

/** How many refusals of a minute are not in `refusals`. */
interface RefusalOmissionsTable {
  account_id: Immutable<string>;
  minute: Immutable<number>;
  project_id: Immutable<string>;
  /** 0: of keys that are not counted one by one. */
  key_seq: Immutable<number>;
  omitted: number;
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
