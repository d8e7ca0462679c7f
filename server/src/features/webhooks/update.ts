import type { Updateable } from 'kysely';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { WebhooksTable } from '../../storage/schema/webhooks.ts';
import { parseCustomHeaders } from './custom-headers.ts';
import { decryptHeaders, encryptHeaders } from './encryption.ts';
import { unmaskHeaders } from './header-masks.ts';
import type { UpdateWebhook } from './schema.ts';
import type { WebhookRow } from './store.ts';

type Columns = Partial<
  Pick<
    WebhookRow,
    | 'name'
    | 'url'
    | 'topics'
    | 'project_id'
    | 'http_method'
    | 'format'
    | 'status'
    | 'custom_headers'
    | 'disabled_reason'
    | 'failing_since'
  >
>;

/** The columns that an update changes; null if it changes nothing. */
export function updateOf(
  row: WebhookRow,
  input: UpdateWebhook,
  secrets: Secrets,
): (Updateable<WebhooksTable> & Columns) | null {
  const wanted: Columns = {};
  if (input.name !== undefined) wanted.name = input.name;
  if (input.topics !== undefined) wanted.topics = JSON.stringify(input.topics);
  if (input.projectId !== undefined) wanted.project_id = input.projectId;
  if (input.httpMethod !== undefined) wanted.http_method = input.httpMethod;
  if (input.format !== undefined) wanted.format = input.format;
  if (input.customHeaders !== undefined)
    wanted.custom_headers = headersText(row, input.customHeaders, secrets);
  if (input.status !== undefined && input.status !== row.status) {
    wanted.status = input.status;
    wanted.disabled_reason = null;
    wanted.failing_since = null;
  }
  if (input.url !== undefined && input.url !== row.url) {
    wanted.url = input.url;
    // The failures were those of the previous endpoint.
    wanted.failing_since = null;
  }
  const changed = Object.entries(wanted).filter(
    ([column, value]) => row[column as keyof Columns] !== value,
  );
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

/** Unchanged headers keep their stored text: encrypted again, they would look changed. */
function headersText(row: WebhookRow, input: Record<string, string>, secrets: Secrets): string {
  const stored = decryptHeaders(secrets, row);
  const headers = unmaskHeaders(parseCustomHeaders(input), stored);
  const same = JSON.stringify(headers) === JSON.stringify(stored);
  return same ? row.custom_headers : encryptHeaders(secrets, row.id, headers);
}
