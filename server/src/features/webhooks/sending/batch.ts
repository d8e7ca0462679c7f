import type { Selectable } from 'kysely';
import type { Storage } from '../../../storage/index.ts';
import type { EventsTable } from '../../../storage/schema/webhooks.ts';
import { isSubscribed, type WebhookRow } from '../store.ts';
import { type Claimed, padded } from './claims.ts';

export type EventRow = Selectable<EventsTable>;

export interface Job {
  readonly delivery: Claimed;
  readonly event: EventRow;
  readonly webhook: WebhookRow;
}

/** Claimed deliveries, by what is to be done with them. */
export interface Batch {
  readonly send: Job[];
  /** The webhook is not live, or the project not active. */
  readonly hold: Claimed[];
  /** The webhook is deleted, or no longer subscribed to the event. */
  readonly cancel: Claimed[];
}

/** Loads what the claimed deliveries need and applies changes made since their events were written. */
export async function loadBatch(storage: Storage, claimed: readonly Claimed[]): Promise<Batch> {
  const [events, webhooks, inactive] = await Promise.all([
    eventsOf(storage, claimed),
    webhooksOf(storage, claimed),
    inactiveProjects(storage, claimed),
  ]);
  // Read after the webhooks, because the change that sets a new URL also masks waiting values.
  const withValue = await deliveriesWithValue(storage, claimed);
  const batch: Batch = { send: [], hold: [], cancel: [] };
  for (const delivery of claimed) {
    const event = events.get(delivery.eventId);
    const webhook = webhooks.get(delivery.webhookId);
    if (event === undefined || webhook === undefined || !isStillFor(webhook, event))
      batch.cancel.push(delivery);
    else if (webhook.status !== 'live' || inactive.has(delivery.projectId ?? ''))
      batch.hold.push(delivery);
    else {
      const carriesValue = withValue.has(delivery.id);
      batch.send.push({ delivery: { ...delivery, carriesValue }, event, webhook });
    }
  }
  return batch;
}

/** A change of a webhook cancels its deliveries. This also catches those queued during the change. */
const isStillFor = (webhook: WebhookRow, event: EventRow): boolean =>
  webhook.deleted_at === null && isSubscribed(webhook, event);

async function eventsOf(
  storage: Storage,
  claimed: readonly Claimed[],
): Promise<Map<string, EventRow>> {
  const ids = [...new Set(claimed.map(({ eventId }) => eventId))];
  const rows = await storage.read
    .selectFrom('events')
    .selectAll()
    .where('id', 'in', padded(ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function webhooksOf(
  storage: Storage,
  claimed: readonly Claimed[],
): Promise<Map<string, WebhookRow>> {
  const ids = [...new Set(claimed.map(({ webhookId }) => webhookId))];
  const rows = await storage.read
    .selectFrom('webhooks')
    .selectAll()
    .where('id', 'in', padded(ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function deliveriesWithValue(
  storage: Storage,
  claimed: readonly Claimed[],
): Promise<Set<string>> {
  const ids = claimed.filter(({ carriesValue }) => carriesValue).map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const rows = await storage.read
    .selectFrom('deliveries')
    .select('id')
    .where('id', 'in', padded(ids))
    .where('carries_value', '=', 1)
    .execute();
  return new Set(rows.map((row) => row.id));
}

async function inactiveProjects(
  storage: Storage,
  claimed: readonly Claimed[],
): Promise<Set<string>> {
  const ids = new Set(claimed.flatMap(({ projectId }) => projectId ?? []));
  if (ids.size === 0) return ids;
  const rows = await storage.read
    .selectFrom('projects')
    .select('id')
    .where('id', 'in', padded([...ids]))
    .where('is_active', '=', 0)
    .execute();
  return new Set(rows.map((row) => row.id));
}
