import type { Actor } from '../../../kernel/actor.ts';
import { type Principal, requireScope } from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { listing, type RowRange } from '../../../kernel/paging.ts';
import type { Listing } from '../../../kernel/route.ts';
import { isoTime } from '../../../kernel/time/clock.ts';
import { readQueryTime } from '../../../kernel/time/read-time.ts';
import type { Storage } from '../../../storage/index.ts';
import { type ChangeRunner, SCOPE_OF_TOPIC, type Topic, type Unit } from '../../changes/index.ts';
import { projectIn } from '../../projects/index.ts';
import { visibleWebhook } from '../access.ts';
import { envelope, resourceOf } from '../events/envelope.ts';
import { isSubscribed, type WebhookRow } from '../store.ts';
import type { Attempt, Delivery, DeliveryWithPayload, ListDeliveries } from './schema.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  eventOf,
  findDelivery,
  listDeliveryRows,
  recentAttempts,
  updateDelivery,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly wake: (webhookIds: readonly string[]) => void;
}

/** Lists deliveries, and retries one. */
export class DeliveryHistory {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(
    principal: Principal,
    webhookId: string,
    query: ListDeliveries,
  ): Promise<Listing<Delivery>> {
    const { point, read } = this.#parts.storage;
    const hook = await visibleWebhook(point, principal, 'webhooks:read', webhookId);
    const { from, to, limit: _, cursor: __, offset: ___, ...rest } = query;
    const filter = { ...rest, from: readQueryTime('from', from), to: readQueryTime('to', to) };
    const fetch = async (range: RowRange<string>) => {
      const rows = await listDeliveryRows(read, hook, filter, range);
      const attempts = await recentAttempts(
        read,
        rows.map((row) => row.id),
      );
      return rows.map((row) => ({ id: row.id, row, attempts: attempts.get(row.id) }));
    };
    return listing(query, 'dlv', fetch, ({ row, attempts }) => delivery(row, attempts));
  }

  async get(principal: Principal, webhookId: string, id: string): Promise<DeliveryWithPayload> {
    const { point } = this.#parts.storage;
    const hook = await visibleWebhook(point, principal, 'webhooks:read', webhookId);
    const row = found(await findDelivery(point, hook, id));
    const event = await eventOf(point, row.event_id);
    const scope = SCOPE_OF_TOPIC[event.type as Topic];
    if (scope !== undefined) {
      const resource = { accountId: hook.account_id, projectId: hook.project_id };
      requireScope(principal, scope, resource, 'delivery_not_found');
    }
    return { ...(await this.#shown(row)), payload: envelope(event, event.data) };
  }

  /** Starts over with the first attempt, now. A delivery that is being sent is left alone. */
  async retry(actor: Actor, webhookId: string, id: string): Promise<Delivery> {
    const { principal } = actor;
    await visibleWebhook(this.#parts.storage.point, principal, 'webhooks:write', webhookId);
    const row = await this.#parts.changes.run(actor, async (unit) => {
      const hook = await visibleWebhook(unit.tx, principal, 'webhooks:write', webhookId);
      const before = found(await findDelivery(unit.tx, hook, id));
      await refuseUnsendable(unit, hook, before);
      if (before.status === 'pending' && (before.lease_until ?? 0) > unit.now) return before;
      const change = {
        status: 'pending',
        lane: 0,
        attempts: 0,
        due_at: unit.now,
        lease_token: null,
        lease_until: null,
        updated_at: unit.now,
        // A finished delivery is sent again with the mask: the webhook may have other authors now.
        ...(before.status !== 'pending' &&
          before.status !== 'held' && { carries_value: 0 as const }),
      } as const;
      await updateDelivery(unit.tx, id, change);
      unit.audit({
        action: 'webhook.delivery-retried',
        accountId: hook.account_id,
        projectId: hook.project_id,
        targetType: 'webhook',
        targetId: hook.id,
        after: { deliveryId: id, eventId: before.event_id },
      });
      return { ...before, ...change };
    });
    this.#parts.wake([webhookId]);
    return this.#shown(row);
  }

  async #shown(row: DeliveryRow): Promise<Delivery> {
    const attempts = await recentAttempts(this.#parts.storage.point, [row.id]);
    return delivery(row, attempts.get(row.id));
  }
}

function found(row: DeliveryRow | undefined): DeliveryRow {
  if (row === undefined) throw new KeywardError('delivery_not_found');
  return row;
}

async function refuseUnsendable(unit: Unit, hook: WebhookRow, row: DeliveryRow): Promise<void> {
  if (row.status === 'cancelled') throw new KeywardError('delivery_cancelled');
  if (!isSubscribed(hook, row))
    throw new KeywardError(
      'delivery_cancelled',
      `The webhook no longer has the topic ${row.type}.`,
    );
  if (hook.status !== 'live') throw new KeywardError('webhook_not_live');
  if (row.project_id === null) return;
  const project = await projectIn(unit.tx, row.account_id, row.project_id);
  if (project?.is_active === 0) throw new KeywardError('project_inactive');
}

function delivery(row: DeliveryRow, attempts: readonly AttemptRow[] = []): Delivery {
  const resource = resourceOf(JSON.parse(row.data));
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    topic: row.type as Topic,
    resourceId: resource.id,
    resourceName: resource.name,
    status: row.status,
    attempts: row.attempts,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
    dueAt: row.status === 'pending' ? isoTime(row.due_at) : null,
    replayId: row.replay_id,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    recentAttempts: attempts.map(attempt),
  };
}

const attempt = (row: AttemptRow): Attempt => ({
  startedAt: isoTime(row.started_at),
  durationMs: row.duration_ms,
  statusCode: row.status_code,
  error: row.error,
  responseBody: row.response_body,
});
