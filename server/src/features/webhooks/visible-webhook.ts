import type { Kysely } from 'kysely';
import { demand, type Principal, type Scope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/index.ts';
import { findWebhook, type WebhookRow } from './store.ts';

/** Among what the caller may see and do; what was deleted is not there. */
export async function visibleWebhook(
  db: Kysely<Database>,
  principal: Principal,
  action: Scope,
  id: string,
): Promise<WebhookRow> {
  const row = await rememberedWebhook(db, principal, action, id);
  if (row.deleted_at !== null) throw new KeywardError('webhook_not_found');
  return row;
}

/** Deleted ones too, for as long as their row is kept. */
export async function rememberedWebhook(
  db: Kysely<Database>,
  principal: Principal,
  action: Scope,
  id: string,
): Promise<WebhookRow> {
  const row = await findWebhook(db, tenantOf(principal), id);
  if (row === undefined) throw new KeywardError('webhook_not_found');
  const resource = { accountId: row.account_id, projectId: row.project_id };
  demand(principal, action, resource, 'webhook_not_found');
  return row;
}
