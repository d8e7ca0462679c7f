import type { CompiledQuery, Kysely } from 'kysely';
import type { MakeId } from '../../../kernel/ids.ts';
import type { Secrets } from '../../../kernel/secrets/crypto.ts';
import { inSlices } from '../../../kernel/slices.ts';
import {
  type Database,
  executeMany,
  insertRows,
  type Storage,
  type Tx,
} from '../../../storage/index.ts';
import type { Outbox, OutgoingEvent } from '../../changes/index.ts';
import type { ReadPrincipal } from '../author-rights.ts';
import { lockInactiveProjects } from '../deliveries/delivery-blockers.ts';
import { eventContext } from '../encryption.ts';
import type { WebhookRow } from '../store.ts';
import { ValueRights } from './value-rights.ts';

/**
 * Events that are written before other requests have their turn, about 10 ms if a webhook receives the values: an
 * import or a flush may emit thousands.
 */
const EVENTS_AT_ONCE = 100;

/** Best-effort cache: when it is full it is cleared, since a missing entry only costs a query. */
const SUBSCRIBED_AUDIENCES_MAX = 10_000;

interface OutboxParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly wake: (webhookIds: readonly string[]) => void;
  readonly readPrincipal: ReadPrincipal;
  /** The trace of the request in which this is called; null if it is not traced. */
  readonly traceparent?: () => string | null;
}

/**
 * Writes events and their deliveries in the transaction of the change, so that an event exists if and
 * only if its change was committed.
 */
export class TransactionalOutbox implements Outbox {
  readonly #parts: OutboxParts;
  /** Audiences that are known to have subscribers. */
  readonly #subscribedAudiences = new Set<string>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  async write(tx: Tx, events: readonly OutgoingEvent[], now: number): Promise<readonly string[]> {
    const due = new Set<string>();
    for await (const slice of inSlices(events, EVENTS_AT_ONCE))
      for (const webhookId of await this.#writeSlice(tx, slice, now)) due.add(webhookId);
    return [...due];
  }

  /**
   * Stores the events that a webhook is subscribed to. If the webhook is not live, or its authors lack a scope
   * for now, there is no delivery, but the event can be replayed.
   */
  async #writeSlice(tx: Tx, events: readonly OutgoingEvent[], now: number): Promise<string[]> {
    const subscribers = await this.#subscribersOf(tx, events);
    const ofEvent = (event: OutgoingEvent) =>
      subscribers.get(audienceOf(event))!.filter(({ topics }) => topics.includes(event.type));
    const stored = events
      .map((event) => ({ event, candidates: ofEvent(event) }))
      .filter(({ event, candidates }) => event.isKept || candidates.length > 0)
      .map((each) => ({ ...each, id: each.event.id ?? this.#parts.ids('evt') }));
    if (stored.length === 0) return [];
    await insertRows(
      tx,
      'events',
      stored.map(({ event, id }) => this.#eventRow(id, event, now)),
    );
    const rights = new ValueRights(this.#parts.readPrincipal, tx, now);
    const deliverable: DeliverableEvent[] = [];
    for (const { event, id, candidates } of stored) {
      const subscribed: Subscriber[] = [];
      for (const each of candidates)
        if (each.isLive && (await rights.mayReceive(each.hook, event))) subscribed.push(each);
      if (subscribed.length === 0) continue;
      const withValue = await webhooksWithValue(rights, event, subscribed);
      deliverable.push({ event, id, subscribed, withValue });
    }
    if (deliverable.length > 0) await this.#deliver(tx, deliverable, now);
    const due = deliverable.flatMap(({ subscribed }) => subscribed.filter(({ isHeld }) => !isHeld));
    return due.map(({ hook }) => hook.id);
  }

  guardsWithoutSubscribers(events: readonly OutgoingEvent[]): readonly CompiledQuery[] | null {
    const audiences = new Map(events.map((event) => [audienceOf(event), event]));
    const isStored = [...audiences.keys()].some((each) => this.#subscribedAudiences.has(each));
    if (isStored || events.some(({ isKept }) => isKept)) return null;
    const { storage } = this.#parts;
    return [...audiences.values()].map((event) => webhooksOf(storage.point, event).compile());
  }

  #eventRow(id: string, event: OutgoingEvent, now: number) {
    return {
      id,
      account_id: event.accountId,
      project_id: event.projectId,
      type: event.type,
      data: JSON.stringify(event.data),
      sealed_data: null,
      actor: event.actor ? JSON.stringify(event.actor) : null,
      traceparent: this.#parts.traceparent?.() ?? null,
      created_at: now,
    };
  }

  /** Key values are stored, encrypted, only for events of which a webhook receives the value. */
  async #deliver(tx: Tx, events: readonly DeliverableEvent[], now: number): Promise<void> {
    const { secrets, ids } = this.#parts;
    const encrypted = events.flatMap(({ event, id, withValue }) =>
      withValue.size === 0
        ? []
        : { id, data: secrets.encrypt(JSON.stringify(event.withValue!.data), eventContext(id)) },
    );
    const deliveries = events.flatMap(({ event, id, subscribed, withValue }) =>
      subscribed.map((subscriber) => ({
        ...deliveryRow(ids('dlv'), id, event, subscriber, now),
        carries_value: withValue.has(subscriber.hook.id) ? (1 as const) : (0 as const),
      })),
    );
    await Promise.all([
      executeMany(tx, encrypted, (row) =>
        tx.updateTable('events').set({ sealed_data: row.data }).where('id', '=', row.id),
      ),
      insertRows(tx, 'deliveries', deliveries),
    ]);
  }

  async hold(tx: Tx, projectId: string, now: number): Promise<void> {
    await tx
      .updateTable('deliveries')
      .set({ status: 'held', updated_at: now })
      .where('project_id', '=', projectId)
      .where('status', '=', 'pending')
      .execute();
  }

  async release(tx: Tx, projectId: string, now: number): Promise<readonly string[]> {
    const released = await tx
      .updateTable('deliveries')
      .set({ status: 'pending', due_at: now, updated_at: now })
      .where('project_id', '=', projectId)
      .where('status', '=', 'held')
      .where('webhook_id', 'in', (eb) =>
        eb.selectFrom('webhooks').select('id').where('status', '=', 'live'),
      )
      .returning('webhook_id')
      .execute();
    return [...new Set(released.map((row) => row.webhook_id))];
  }

  wake(webhookIds: readonly string[]): void {
    if (webhookIds.length > 0) this.#parts.wake(webhookIds);
  }

  /** One query per audience: a flush may emit thousands of first uses in one project. */
  async #subscribersOf(
    tx: Tx,
    events: readonly OutgoingEvent[],
  ): Promise<Map<string, Subscriber[]>> {
    const audiences = new Map(events.map((event) => [audienceOf(event), event]));
    const found = [...audiences].map(
      async ([audience, event]) => [audience, await this.#subscribers(tx, event)] as const,
    );
    return new Map(await Promise.all(found));
  }

  /** Deliveries of an inactive project are held. */
  async #subscribers(tx: Tx, event: OutgoingEvent): Promise<Subscriber[]> {
    const { projectId } = event;
    const rows = await webhooksOf(tx, event).execute();
    this.#remember(audienceOf(event), rows.length > 0);
    if (rows.length === 0) return [];
    const isHeld =
      projectId !== null && (await lockInactiveProjects(tx, [projectId])).has(projectId);
    return rows.map((hook) => ({
      hook,
      topics: JSON.parse(hook.topics),
      isLive: hook.status === 'live',
      isHeld,
    }));
  }

  #remember(audience: string, hasSubscribers: boolean): void {
    if (!hasSubscribers) this.#subscribedAudiences.delete(audience);
    else if (this.#subscribedAudiences.size < SUBSCRIBED_AUDIENCES_MAX)
      this.#subscribedAudiences.add(audience);
    else this.#subscribedAudiences.clear();
  }
}

type SubscribedWebhook = Pick<
  WebhookRow,
  | 'id'
  | 'topics'
  | 'url'
  | 'http_method'
  | 'format'
  | 'custom_headers'
  | 'project_id'
  | 'set_by'
  | 'status'
>;

interface Subscriber {
  readonly hook: SubscribedWebhook;
  readonly topics: readonly string[];
  readonly isLive: boolean;
  readonly isHeld: boolean;
}

/** Events with the same account and project can go to the same webhooks; topics decide which. */
const audienceOf = ({ accountId, projectId }: OutgoingEvent): string => `${accountId} ${projectId}`;

interface DeliverableEvent {
  readonly event: OutgoingEvent;
  readonly id: string;
  readonly subscribed: readonly Subscriber[];
  /** Ids of the webhooks that receive the key value; the others receive the mask. */
  readonly withValue: ReadonlySet<string>;
}

async function webhooksWithValue(
  rights: ValueRights,
  { withValue }: OutgoingEvent,
  subscribed: readonly Subscriber[],
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  if (withValue === undefined) return ids;
  for (const { hook } of subscribed)
    if (hook.format === 'standard' && (await rights.allows(hook, withValue.key))) ids.add(hook.id);
  return ids;
}

const deliveryRow = (
  id: string,
  eventId: string,
  { accountId, projectId, isBulk }: OutgoingEvent,
  { hook, isHeld }: Subscriber,
  now: number,
) => ({
  id,
  event_id: eventId,
  webhook_id: hook.id,
  account_id: accountId,
  project_id: projectId,
  status: isHeld ? ('held' as const) : ('pending' as const),
  lane: isBulk ? (1 as const) : (0 as const),
  attempts: 0,
  due_at: now,
  lease_token: null,
  lease_until: null,
  last_status_code: null,
  last_error: null,
  replay_id: null,
  created_at: now,
  updated_at: now,
});

/** Webhooks of the whole account, and of the event's project if it has one, live or not. */
const webhooksOf = (db: Kysely<Database>, { accountId, projectId }: OutgoingEvent) =>
  db
    .selectFrom('webhooks')
    .select(['webhooks.id', 'webhooks.topics', 'webhooks.url', 'webhooks.http_method'])
    .select(['webhooks.custom_headers', 'webhooks.project_id', 'webhooks.set_by'])
    .select(['webhooks.format', 'webhooks.status'])
    .where('webhooks.account_id', '=', accountId)
    .where('webhooks.deleted_at', 'is', null)
    .where((eb) =>
      // No project has an empty id: for an event without a project, only webhooks of the whole account match.
      eb.or([
        eb('webhooks.project_id', 'is', null),
        eb('webhooks.project_id', '=', projectId ?? ''),
      ]),
    );
