import type { Tx } from '../../../storage/index.ts';
import { auditRow, SYSTEM } from '../../changes/index.ts';
import { holdDeliveries } from '../store.ts';

export interface Disabled {
  readonly webhookId: string;
  readonly accountId: string;
  readonly reason: string;
}

/** Ends a webhook that nobody answers for. What waits is held, and goes out when it is live again. */
export async function disableWebhook(
  tx: Tx,
  webhookId: string,
  reason: string,
  { now, auditId }: { now: number; auditId: string },
): Promise<Disabled | null> {
  const webhook = await tx
    .updateTable('webhooks')
    .set({ status: 'disabled', disabled_reason: reason, updated_at: now })
    .where('id', '=', webhookId)
    .where('status', '=', 'live')
    .where('deleted_at', 'is', null)
    .returning(['account_id', 'project_id', 'name', 'url'])
    .executeTakeFirst();
  if (webhook === undefined) return null;
  await holdDeliveries(tx, webhookId, now);
  const { account_id: accountId, project_id: projectId, name, url } = webhook;
  const entry = {
    action: 'webhook.disabled',
    accountId,
    projectId,
    targetType: 'webhook' as const,
    targetId: webhookId,
    before: { name, url, status: 'live' },
    after: { name, url, status: 'disabled', disabledReason: reason },
  };
  await tx
    .insertInto('audit_log')
    .values(auditRow(entry, SYSTEM, auditId, now))
    .execute();
  return { webhookId, accountId, reason };
}
