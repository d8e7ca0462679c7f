import type {
  Insertable,
  Kysely,
  OperandValueExpressionOrList,
  Selectable,
  Updateable,
} from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import type { RowRange } from '../../kernel/paging.ts';
import {
  chunksOf,
  type Database,
  forShare,
  forUpdate,
  type Storage,
  type Tx,
} from '../../storage/index.ts';
import type { EventsTable, WebhooksTable } from '../../storage/schema/webhooks.ts';
import type { ListWebhooks } from './schema.ts';

export type WebhookRow = Selectable<WebhooksTable>;

type Subscription = Pick<WebhookRow, 'project_id' | 'topics'>;

export const isSubscribed = (
  hook: Subscription,
  event: Pick<Selectable<EventsTable>, 'type' | 'project_id'>,
): boolean =>
  (hook.project_id === null || hook.project_id === event.project_id) &&
  (JSON.parse(hook.topics) as string[]).includes(event.type);

const webhookRows = (db: Kysely<Database>, tenant: Tenant) => {
  const query = db.selectFrom('webhooks').selectAll().where('account_id', '=', tenant.accountId);
  return tenant.projectIds === null ? query : query.where('project_id', 'in', tenant.projectIds);
};

/** Also finds deleted webhooks; the caller checks `deleted_at`. */
export const findWebhook = (
  db: Kysely<Database>,
  tenant: Tenant,
  id: string,
): Promise<WebhookRow | undefined> =>
  forUpdate(db, webhookRows(db, tenant).where('id', '=', id), 'webhooks').executeTakeFirst();

export function listWebhookRows(
  storage: Storage,
  tenant: Tenant,
  filter: ListWebhooks,
  { after, offset, size }: RowRange<string>,
): Promise<WebhookRow[]> {
  let query = webhookRows(storage.read, tenant).where('deleted_at', 'is', null);
  if (filter.projectId === 'null') query = query.where('project_id', 'is', null);
  else if (filter.projectId !== undefined) query = query.where('project_id', '=', filter.projectId);
  // Topics are known words without a character that LIKE would read as a pattern.
  if (filter.topic !== undefined) query = query.where('topics', 'like', `%"${filter.topic}"%`);
  if (after !== null) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(size).offset(offset).execute();
}

export const insertWebhook = (tx: Tx, row: Insertable<WebhooksTable>) =>
  tx.insertInto('webhooks').values(row).execute();

export const updateWebhook = (tx: Tx, id: string, change: Updateable<WebhooksTable>) =>
  tx.updateTable('webhooks').set(change).where('id', '=', id).execute();

/** The stored response to an idempotent create contains the secret. */
export const deleteStoredResponses = (tx: Tx, webhookId: string) =>
  tx.deleteFrom('idempotency').where('resource_id', '=', webhookId).execute();

/** A webhook that is not live sends nothing. Attempts in progress are completed. */
export async function holdDeliveries(tx: Tx, webhookId: string, now: number): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ status: 'held', updated_at: now })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .execute();
}

/** Makes held deliveries due, except those of inactive projects. */
export async function releaseDeliveries(tx: Tx, webhookId: string, now: number): Promise<void> {
  // Locked until the commit. Otherwise, a project reactivated before the commit would still see this webhook
  // as not live, and would leave its deliveries held.
  const inactive = tx
    .selectFrom('projects')
    .select('id')
    .where('is_active', '=', 0)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('project_id')
        .where('webhook_id', '=', webhookId)
        .where('status', '=', 'held'),
    )
    .orderBy('id');
  await forShare(tx, inactive, 'projects').execute();
  await tx
    .updateTable('deliveries')
    .set({ status: 'pending', due_at: now, updated_at: now })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'held')
    .where((eb) =>
      eb.or([
        eb('project_id', 'is', null),
        eb(
          'project_id',
          'in',
          eb.selectFrom('projects').select('projects.id').where('is_active', '=', 1),
        ),
      ]),
    )
    .execute();
}

/** Cancels waiting deliveries. `kept`: the subscription whose deliveries are kept. */
export async function cancelDeliveries(
  tx: Tx,
  webhookId: string,
  now: number,
  kept?: Subscription,
): Promise<void> {
  let query = tx
    .updateTable('deliveries')
    .set({ status: 'cancelled', updated_at: now })
    .where('webhook_id', '=', webhookId)
    .where('status', 'in', ['pending', 'held']);
  if (kept !== undefined)
    query = query.where((eb) => {
      const event = eb
        .selectFrom('events')
        .select('events.id')
        .whereRef('events.id', '=', 'deliveries.event_id')
        .where('events.type', 'in', JSON.parse(kept.topics) as string[]);
      const isOther = [eb.not(eb.exists(event))];
      if (kept.project_id !== null)
        isOther.push(eb('project_id', 'is', null), eb('project_id', '!=', kept.project_id));
      return eb.or(isOther);
    });
  await query.execute();
  await eraseWhereFinished(
    tx,
    tx
      .selectFrom('deliveries')
      .select('event_id')
      .where('webhook_id', '=', webhookId)
      .where('status', '=', 'cancelled'),
  );
}

/** Waiting deliveries carry masks from now on instead of key values. */
export async function maskDeliveries(tx: Tx, webhookId: string): Promise<void> {
  const waiting = await tx
    .updateTable('deliveries')
    .set({ carries_value: 0 })
    .where('webhook_id', '=', webhookId)
    .where('status', 'in', ['pending', 'held'])
    .where('carries_value', '=', 1)
    .returning('event_id')
    .execute();
  await eraseFinishedValues(
    tx,
    waiting.map((row) => row.event_id),
  );
}

/** A key value is stored only while a delivery that carries it is waiting. */
export async function eraseFinishedValues(tx: Tx, eventIds: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(eventIds)) await eraseWhereFinished(tx, chunk);
}

async function eraseWhereFinished(
  tx: Tx,
  eventIds: OperandValueExpressionOrList<Database, 'events', 'id'>,
): Promise<void> {
  await tx
    .updateTable('events')
    .set({ sealed_data: null })
    .where('id', 'in', eventIds)
    .where('sealed_data', 'is not', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('deliveries.event_id', '=', 'events.id')
            .where('deliveries.carries_value', '=', 1)
            .where('deliveries.status', 'in', ['pending', 'held']),
        ),
      ),
    )
    .execute();
}
