import { sql } from 'kysely';
import type { Tx } from '../../../storage/index.ts';
import { auditRow, SYSTEM } from '../../changes/index.ts';
import { holdDeliveries } from '../store.ts';
import { SILENCE_MS_MAX } from './schedule.ts';

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

/**
 * The first attempt after the last long silence since `failingSince`; null when there was none. Two
 * failures a week apart are not a week of failure. Asked only of a webhook about to be disabled.
 */
export async function failingAfterSilence(
  tx: Tx,
  webhookId: string,
  failingSince: number,
): Promise<number | null> {
  const { rows } = await sql<{ since: number | null }>`
    select max(started_at) as since from (
      select started_at,
        coalesce(lag(started_at) over (order by started_at), ${failingSince}) as before
      from delivery_attempts join deliveries on deliveries.id = delivery_attempts.delivery_id
      where deliveries.webhook_id = ${webhookId}
        and deliveries.updated_at >= ${failingSince} and started_at >= ${failingSince}
    ) as tried
    where started_at - before > ${SILENCE_MS_MAX}`.execute(tx);
  return rows[0]?.since ?? null;
}
