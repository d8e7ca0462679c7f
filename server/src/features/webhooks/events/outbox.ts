import type { Kysely } from 'kysely';
import type { Secrets } from '../../../kernel/crypto.ts';
import type { MakeId } from '../../../kernel/ids.ts';
import {
  type Database,
  insertRows,
  type Script,
  type Storage,
  type Tx,
} from '../../../storage/index.ts';
import { type Outbox, type OutgoingEvent, recordText } from '../../changes/index.ts';
import { inactiveProjects } from '../deliveries/delivery-blockers.ts';
import { eventContext } from '../encryption.ts';
import type { WebhookRow } from '../store.ts';
import { type ReadPrincipal, ValueRights } from './value-rights.ts';

/** Events in one message: a flush may tell of thousands of first uses. */
const CHUNK = 200;

/** Places that are known to have subscribers; forgotten all at once, since to know too few is only slower. */
const LISTENING_MAX = 10_000;

/**
 * Events and their deliveries, written in the transaction of the change they tell of: a change
 * that commits has its event, one that does not has none, whatever crashes in between.
 */
export class TransactionalOutbox implements Outbox {
  readonly #storage: Storage;
  readonly #secrets: Secrets;
  readonly #ids: MakeId;
  readonly #wake: (webhookIds: readonly string[]) => void;
  readonly #readPrincipal: ReadPrincipal;
  readonly #listening = new Set<string>();

  constructor(parts: {
    storage: Storage;
    secrets: Secrets;
    ids: MakeId;
    wake: (webhookIds: readonly string[]) => void;
    readPrincipal: ReadPrincipal;
  }) {
    this.#storage = parts.storage;
    this.#readPrincipal = parts.readPrincipal;
    this.#secrets = parts.secrets;
    this.#ids = parts.ids;
    this.#wake = parts.wake;
  }

  /**
   * The events go to the database together with the question who wants them: mostly nobody does, and
   * then there is nothing more to wait for.
   */
  async write(tx: Tx, events: readonly OutgoingEvent[], now: number): Promise<readonly string[]> {
    const ids = events.map(() => this.#ids('evt'));
    const [subscribers] = await Promise.all([
      this.#subscribersOf(tx, events),
      insertRows(
        this.#storage,
        tx,
        'events',
        events.map((event, n) => eventRow(ids[n]!, event, now)),
      ),
    ]);
    const rights = new ValueRights(this.#readPrincipal, tx, now);
    const wanted: WantedEvent[] = [];
    for (const [n, event] of events.entries()) {
      const wanting = subscribers.get(placeOf(event))!;
      const subscribed = wanting.filter(({ topics }) => topics.includes(event.type));
      if (subscribed.length === 0) continue;
      const withValue = await entitled(rights, event, subscribed);
      wanted.push({ event, id: ids[n]!, subscribed, withValue });
    }
    for (let start = 0; start < wanted.length; start += CHUNK)
      await this.#deliver(tx, wanted.slice(start, start + CHUNK), now);
    const sent = wanted.flatMap(({ subscribed }) => subscribed.filter(({ isHeld }) => !isHeld));
    return [...new Set(sent.map(({ hook }) => hook.id))];
  }

  unheard(events: readonly OutgoingEvent[], now: number): Script | null {
    const places = new Map(events.map((event) => [placeOf(event), event]));
    if ([...places.keys()].some((place) => this.#listening.has(place))) return null;
    const { point } = this.#storage;
    return {
      guards: [...places.values()].map((event) => liveWebhooks(point, event).compile()),
      steps: events.map((event) =>
        point
          .insertInto('events')
          .values(eventRow(this.#ids('evt'), event, now))
          .compile(),
      ),
    };
  }

  /** Only what somebody gets with its value is kept with it, encrypted. */
  async #deliver(tx: Tx, wanted: readonly WantedEvent[], now: number): Promise<void> {
    const sealed = wanted.flatMap(({ event, id, withValue }) =>
      withValue.size === 0
        ? []
        : [[this.#secrets.encrypt(JSON.stringify(event.withValue!.data), eventContext(id)), id]],
    );
    const deliveries = wanted.flatMap(({ event, id, subscribed, withValue }) =>
      subscribed.map((subscriber) => ({
        ...deliveryRow(this.#ids('dlv'), id, event, subscriber, now),
        carries_value: withValue.has(subscriber.hook.id) ? (1 as const) : (0 as const),
      })),
    );
    await Promise.all([
      this.#storage.executeMany(tx, sealing(tx), sealed),
      insertRows(this.#storage, tx, 'deliveries', deliveries),
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
    if (webhookIds.length > 0) this.#wake(webhookIds);
  }

  /** Asked once for each place: a flush may tell of thousands of first uses in one project. */
  async #subscribersOf(
    tx: Tx,
    events: readonly OutgoingEvent[],
  ): Promise<Map<string, Subscriber[]>> {
    const places = new Map(events.map((event) => [placeOf(event), event]));
    const found = [...places].map(
      async ([place, event]) => [place, await this.#subscribers(tx, event)] as const,
    );
    return new Map(await Promise.all(found));
  }

  /** Those of an inactive project hold. */
  async #subscribers(tx: Tx, event: OutgoingEvent): Promise<Subscriber[]> {
    const { projectId } = event;
    const rows = await liveWebhooks(tx, event).execute();
    this.#remember(placeOf(event), rows.length > 0);
    if (rows.length === 0) return [];
    const isHeld = projectId !== null && (await inactiveProjects(tx, [projectId])).has(projectId);
    return rows.map((hook) => ({ hook, topics: JSON.parse(hook.topics), isHeld }));
  }

  #remember(place: string, isListening: boolean): void {
    if (!isListening) this.#listening.delete(place);
    else if (this.#listening.size < LISTENING_MAX) this.#listening.add(place);
    else this.#listening.clear();
  }
}

type LiveWebhook = Pick<
  WebhookRow,
  'id' | 'topics' | 'url' | 'http_method' | 'custom_headers' | 'project_id' | 'set_by'
>;

interface Subscriber {
  readonly hook: LiveWebhook;
  readonly topics: readonly string[];
  readonly isHeld: boolean;
}

/** Where an event happened: all events of one place have the same subscribers. */
const placeOf = ({ accountId, projectId }: OutgoingEvent): string => `${accountId} ${projectId}`;

interface WantedEvent {
  readonly event: OutgoingEvent;
  readonly id: string;
  readonly subscribed: readonly Subscriber[];
  /** Ids of those webhooks that get the key value; the others get the mask. */
  readonly withValue: ReadonlySet<string>;
}

async function entitled(
  rights: ValueRights,
  { withValue }: OutgoingEvent,
  subscribed: readonly Subscriber[],
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  if (withValue === undefined) return ids;
  for (const { hook } of subscribed) if (await rights.allows(hook, withValue.key)) ids.add(hook.id);
  return ids;
}

const sealing = (tx: Tx) =>
  tx.updateTable('events').set({ sealed_data: '' }).where('id', '=', '').compile();

const eventRow = (id: string, event: OutgoingEvent, now: number) => ({
  id,
  account_id: event.accountId,
  project_id: event.projectId,
  type: event.type,
  data: recordText(event.data),
  sealed_data: null,
  created_at: now,
});

const deliveryRow = (
  id: string,
  eventId: string,
  { accountId, projectId }: OutgoingEvent,
  { hook, isHeld }: Subscriber,
  now: number,
) => ({
  id,
  event_id: eventId,
  webhook_id: hook.id,
  account_id: accountId,
  project_id: projectId,
  status: isHeld ? ('held' as const) : ('pending' as const),
  lane: 0 as const,
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

/** Hooks of the whole account, and of the event's project when it has one. */
const liveWebhooks = (db: Kysely<Database>, { accountId, projectId }: OutgoingEvent) =>
  db
    .selectFrom('webhooks')
    .select(['webhooks.id', 'webhooks.topics', 'webhooks.url', 'webhooks.http_method'])
    .select(['webhooks.custom_headers', 'webhooks.project_id', 'webhooks.set_by'])
    .where('webhooks.account_id', '=', accountId)
    .where('webhooks.status', '=', 'live')
    .where('webhooks.deleted_at', 'is', null)
    .where((eb) =>
      // No project has an empty id: without one, only the hooks of the whole account match.
      eb.or([
        eb('webhooks.project_id', 'is', null),
        eb('webhooks.project_id', '=', projectId ?? ''),
      ]),
    );
