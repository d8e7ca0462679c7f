import { sql } from 'kysely';
import type { MakeId } from '../../../kernel/ids.ts';
import type { Tx } from '../../../storage/index.ts';
import { type AuditEntry, auditRow, SYSTEM } from '../../changes/index.ts';
import { holdDeliveries } from '../store.ts';
import { padded } from './claims.ts';
import { failureVerdict, SILENCE_MS_MAX } from './schedule.ts';

export interface Disabled {
  readonly webhookId: string;
  readonly accountId: string;
  readonly reason: string;
}

/** Disables a webhook. Its waiting deliveries are held until it is live again. */
async function disableWebhook(
  tx: Tx,
  webhookId: string,
  reason: string,
  { now, auditId, startedAt = now }: { now: number; auditId: string; startedAt?: number },
): Promise<Disabled | null> {
  const webhook = await tx
    .updateTable('webhooks')
    .set({ status: 'disabled', disabled_reason: reason, updated_at: now })
    .where('id', '=', webhookId)
    .where('status', '=', 'live')
    .where('deleted_at', 'is', null)
    // Otherwise the attempt may have used an earlier URL.
    .where('updated_at', '<=', startedAt)
    .returning(['account_id', 'project_id', 'name', 'url'])
    .executeTakeFirst();
  if (webhook === undefined) return null;
  await holdDeliveries(tx, webhookId, now);
  const { account_id: accountId, project_id: projectId, name, url } = webhook;
  const entry: AuditEntry = {
    action: 'webhook.disabled',
    accountId,
    projectId,
    targetType: 'webhook',
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
 * The first attempt after the last pause of two days since `failingSince`; null if there was no such
 * pause. Two failures a week apart are not a week of failure. Queried only before a webhook is disabled.
 */
async function failingAfterSilence(
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

/** Disables webhooks that responded with 410, unless they were changed after that attempt began. */
export async function disableGone(
  tx: Tx,
  /** The start of the attempt, by webhook. */
  gone: ReadonlyMap<string, number>,
  ids: MakeId,
  now: number,
): Promise<Disabled[]> {
  const disabled: (Disabled | null)[] = [];
  for (const [id, startedAt] of gone)
    disabled.push(
      await disableWebhook(tx, id, 'the endpoint responded with 410', {
        now,
        auditId: ids('aud'),
        startedAt,
      }),
    );
  return disabled.filter((each) => each !== null);
}

/** Records when a webhook began to fail every time, and disables it after five days. */
export async function updateHealth(
  tx: Tx,
  webhooks: {
    readonly delivered: ReadonlySet<string>;
    readonly failed: ReadonlySet<string>;
  },
  ids: MakeId,
  now: number,
): Promise<Disabled[]> {
  const { delivered } = webhooks;
  const failing = new Set([...webhooks.failed].filter((id) => !delivered.has(id)));
  if (delivered.size > 0)
    await tx
      .updateTable('webhooks')
      .set({ failing_since: null })
      .where('id', 'in', padded([...delivered]))
      .where('failing_since', 'is not', null)
      .execute();
  const disabled: (Disabled | null)[] = [];
  for (const id of await failingTooLong(tx, failing, now))
    disabled.push(
      await disableWebhook(tx, id, 'five days of failures', {
        now,
        auditId: ids('aud'),
      }),
    );
  return disabled.filter((each) => each !== null);
}

async function failingTooLong(tx: Tx, failing: ReadonlySet<string>, now: number) {
  if (failing.size === 0) return [];
  const webhookIds = padded([...failing]);
  await tx
    .updateTable('webhooks')
    .set({ failing_since: now })
    .where('id', 'in', webhookIds)
    .where('failing_since', 'is', null)
    .execute();
  const rows = await tx
    .selectFrom('webhooks')
    .select(['id', 'failing_since'])
    .where('id', 'in', webhookIds)
    .execute();
  const tooLong: string[] = [];
  for (const { id, failing_since } of rows) {
    if (failureVerdict({ failingSince: failing_since, now }) === 'keep') continue;
    const since = await failingAfterSilence(tx, id, failing_since!);
    if (since === null) tooLong.push(id);
    else
      await tx.updateTable('webhooks').set({ failing_since: since }).where('id', '=', id).execute();
  }
  return tooLong;
}
