import { isoTime } from '../../kernel/clock.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import type { Topic } from '../changes/index.ts';
import type { Webhook } from './schema.ts';
import { openHeaders } from './sealing.ts';
import { setByOf } from './setters.ts';
import type { WebhookRow } from './store.ts';

/** A row as the API shows it: with the customer's own headers, never with the secret. */
export const webhook = (row: WebhookRow, secrets: Secrets): Webhook =>
  shown(row, openHeaders(secrets, row));

/** A row as the audit log keeps it, in clear: header values may be credentials. */
export const auditedWebhook = (row: WebhookRow, secrets: Secrets): Webhook => {
  const names = Object.keys(openHeaders(secrets, row));
  return shown(row, Object.fromEntries(names.map((name) => [name, MASK])));
};

const MASK = '*********';

const shown = (row: WebhookRow, customHeaders: Record<string, string>): Webhook => ({
  id: row.id,
  accountId: row.account_id,
  projectId: row.project_id,
  name: row.name,
  url: row.url,
  topics: JSON.parse(row.topics) as Topic[],
  httpMethod: row.http_method,
  status: row.status,
  disabledReason: row.disabled_reason,
  customHeaders,
  setBy: setByOf(row),
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});
