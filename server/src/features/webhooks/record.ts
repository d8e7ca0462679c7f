import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import type { Topic } from '../changes/index.ts';
import { decryptHeaders } from './encryption.ts';
import { maskHeaders } from './header-masks.ts';
import type { Webhook } from './schema.ts';
import { setByOf } from './setting-authors.ts';
import type { WebhookRow } from './store.ts';

/** A webhook as the API and the audit log show it: header values masked, without the secret. */
export const webhook = (row: WebhookRow, secrets: Secrets): Webhook => ({
  id: row.id,
  accountId: row.account_id,
  projectId: row.project_id,
  name: row.name,
  url: row.url,
  topics: JSON.parse(row.topics) as Topic[],
  httpMethod: row.http_method,
  format: row.format,
  status: row.status,
  disabledReason: row.disabled_reason,
  customHeaders: maskHeaders(decryptHeaders(secrets, row)),
  setBy: setByOf(row),
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});
