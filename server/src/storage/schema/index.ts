import type { AccountsTable, ProjectLogosTable, ProjectsTable } from './accounts.ts';
import type { AuditLogTable, AuditSealsTable } from './audit.ts';
import type { CreditBlocksTable, CreditPoolsTable } from './credits.ts';
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
  UsageFlushesTable,
  UsageJournalTable,
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
