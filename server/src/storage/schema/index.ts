import type { AccountsTable, ProjectLogosTable, ProjectsTable } from './accounts.ts';
import type { AuditLogTable, AuditSealsTable } from './audit.ts';
import type { CreditBlocksTable, CreditEntriesTable, CreditPoolsTable } from './credits.ts';
import type { CustomersTable, PlansTable, PortalSessionsTable } from './customers.ts';
import type { IdempotencyTable, InstallationTable, RateWindowsTable } from './installation.ts';
import type { AccessKeysTable, ApiKeysTable, KeyUsageTable, LeaksTable } from './keys.ts';
import type {
  CredentialsTable,
  InvitationsTable,
  KnownBrowsersTable,
  MailsTable,
  MembershipsTable,
  PasskeysTable,
  SessionsTable,
  SetupLinksTable,
  TwoFactorsTable,
  UsersTable,
  VerificationsTable,
} from './people.ts';
import type {
  AuditStreamsTable,
  ExpiryNoticesTable,
  ExpiryRescansTable,
  ExpiryScheduleTable,
  NoticeMailsTable,
  SignalCursorsTable,
  ThresholdNoticesTable,
  UsagePeriodsTable,
} from './signals.ts';
import type {
  AccessKeyCountsTable,
  KeyCountsTable,
  ProjectUsageTable,
  RefusalOmissionsTable,
  RefusalsTable,
  UnitCountsTable,
  UsageFlushesTable,
  UsageJournalTable,
  UsagePartsTable,
  UsageWatermarksTable,
} from './usage.ts';
import type {
  DeliveriesTable,
  DeliveryAttemptsTable,
  EventsTable,
  WebhookReplaysTable,
  WebhooksTable,
} from './webhooks.ts';

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
  credit_entries: CreditEntriesTable;
  api_keys: ApiKeysTable;
  key_usage: KeyUsageTable;
  /** Written by triggers, like the next two: the orders of long lists. */
  last_use_hours: { key_seq: number; account_id: string; hour: number; key_id: string };
  key_tags: { account_id: string; tag: string; owner_id: string };
  customer_tags: { account_id: string; tag: string; owner_id: string };
  access_keys: AccessKeysTable;
  portal_sessions: PortalSessionsTable;
  invitations: InvitationsTable;
  idempotency: IdempotencyTable;
  audit_log: AuditLogTable;
  audit_seals: AuditSealsTable;
  /** Rows of `audit_log` without a seal, inserted by a trigger. */
  audit_unsealed: { seq: number };
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
  usage_parts: UsagePartsTable;
  resource_quarters: KeyCountsTable;
  resource_days: KeyCountsTable;
  resource_months: KeyCountsTable;
  unit_quarters: UnitCountsTable;
  unit_days: UnitCountsTable;
  unit_months: UnitCountsTable;
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

/**
 * Until when the rows of each table are kept. A new table without an entry is a type error; `retention.test.ts`
 * compares the list with the tables of the database, and with the documentation.
 */
export const RETENTION = {
  installation: 'forever: a few rows',
  accounts: 'forever',
  projects: 'forever',
  project_logos: 'until the logo is removed',
  plans: 'until deleted',
  customers: 'until deleted',
  credit_pools: 'until the credits, the key or the customer are deleted',
  credit_blocks: 'until the node or client returns the block, or it has ended',
  credit_entries: 'until the key or the customer is erased',
  api_keys: 'until erased with `?permanent=true`',
  key_tags: 'until the key is erased, or loses the tag',
  customer_tags: 'until the customer is deleted, or loses the tag',
  last_use_hours: 'until the key is erased',
  key_usage: 'until the key is erased',
  access_keys: 'until erased with `?permanent=true`',
  portal_sessions: 'until they end',
  invitations: '`KEYWARD_HISTORY_DAYS` after they were accepted, cancelled or have expired',
  idempotency: '24 hours',
  audit_log: 'forever',
  audit_seals: 'forever',
  audit_unsealed: 'until sealed, within seconds',
  rate_windows: 'until the window ends, or in a cluster the next start',
  users: 'until deleted',
  sessions: 'until they expire',
  credentials: 'until the user is deleted',
  verifications: 'until they expire',
  two_factors: 'until turned off',
  known_browsers: 'until they expire',
  passkeys: 'until deleted',
  memberships: 'until removed',
  mails: 'until sent, or tried six times',
  setup_links: '`KEYWARD_HISTORY_DAYS` after they have expired',
  webhooks: 'until deleted, and as long as their deliveries',
  events: '30 days, and until delivered',
  deliveries: 'as long as their event',
  delivery_attempts: 'as long as their event',
  webhook_replays: '30 days',
  usage_minutes: '`KEYWARD_USAGE_MINUTE_HOURS`',
  usage_quarters: '`KEYWARD_USAGE_HOUR_DAYS`',
  usage_days: 'forever',
  usage_months: 'forever',
  access_usage_minutes: '`KEYWARD_USAGE_MINUTE_HOURS`',
  access_usage_quarters: '`KEYWARD_USAGE_HOUR_DAYS`',
  access_usage_days: 'forever',
  project_usage: 'forever: a row for each project',
  project_minutes: '`KEYWARD_USAGE_MINUTE_HOURS`',
  project_quarters: '`KEYWARD_USAGE_HOUR_DAYS`',
  project_days: 'forever',
  usage_parts: 'until the key is erased; of projects, forever',
  resource_quarters: '`KEYWARD_USAGE_HOUR_DAYS`',
  resource_days: 'forever',
  resource_months: 'forever',
  unit_quarters: '`KEYWARD_USAGE_HOUR_DAYS`',
  unit_days: 'forever',
  unit_months: 'forever',
  usage_journal: 'until added to the counts, within minutes',
  usage_flushes: 'a week after the last batch of a server, a day after that of a client',
  usage_watermarks: 'forever: a few rows',
  refusals: '7 days, 100,000 for each account',
  refusal_omissions: '7 days',
  leaks: '`KEYWARD_HISTORY_DAYS` after the last report',
  expiry_schedule: 'until the last notice of the key',
  expiry_rescans: 'until all keys of the project are scheduled again',
  expiry_notices: '30 days after the expiry',
  threshold_notices: 'until the same notice may be sent again',
  notice_mails: '`KEYWARD_HISTORY_DAYS` after the last mail',
  usage_periods: 'forever: a row for each project with usage events',
  audit_streams: 'forever: a row for each account with audit events',
  signal_cursors: 'forever: a few rows',
} as const satisfies Record<keyof Database, string>;
