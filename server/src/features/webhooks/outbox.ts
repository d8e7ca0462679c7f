import type { Secrets } from '../../kernel/crypto.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { type Inserter, inserterOf, type Storage, type Tx } from '../../storage/index.ts';
import type { Outbox, OutgoingEvent } from '../changes/index.ts';
import { inactiveProjects } from './not-sending.ts';

/** Events in one message: a flush may tell of thousands of first uses. */
const CHUNK = 200;

/** Binds an encrypted payload to its event. */
export const eventContext = (eventId: string): string => `event:${eventId}`;

/**
 * Events and their deliveries, written in the transaction of the change they tell of: a change
 * that commits has its event, one that does not has none, whatever crashes in between.
 */
export class TransactionalOutbox implements Outbox {
  readonly #secrets: Secrets;
  readonly #ids: MakeId;
  readonly #wake: (webhookIds: readonly string[]) => void;
  readonly #insertEvents: Inserter<'events'>;
  readonly #insertDeliveries: Inserter<'deliveries'>;

  constructor(parts: {
    storage: Storage;
    secrets: Secrets;
    ids: MakeId;
    wake: (webhookIds: readonly string[]) => void;
  }) {
    this.#secrets = parts.secrets;
    this.#ids = parts.ids;
    this.#wake = parts.wake;
    this.#insertEvents = inserterOf(parts.storage, 'events');
    this.#insertDeliveries = inserterOf(parts.storage, 'deliveries');
  }

  async write(tx: Tx, events: readonly OutgoingEvent[], now: number): Promise<readonly string[]> {
    const woken = new Set<string>();
    const subscribers = await subscribersOf(tx, events);
    for (let start = 0; start < events.length; start += CHUNK) {
      const some = events.slice(start, start + CHUNK);
      const written = some.map((event) =>
        this.#prepare(event, subscribers.get(placeOf(event)) ?? [], now),
      );
      const deliveries = written.flatMap((event) => event.deliveries);
      const rows = written.map(({ row }) => row);
      await Promise.all([this.#insertEvents(tx, rows), this.#insertDeliveries(tx, deliveries)]);
      for (const delivery of deliveries)
        if (delivery.status === 'pending') woken.add(delivery.webhook_id);
    }
    return [...woken];
  }

  #prepare(event: OutgoingEvent, subscribers: readonly Subscriber[], now: number) {
    const id = this.#ids('evt');
    const { accountId, projectId } = event;
    const wanting = subscribers.filter(({ topics }) => topics.includes(event.type));
    const sealed =
      event.secretData === undefined || wanting.length === 0
        ? null
        : this.#secrets.encrypt(JSON.stringify(event.secretData), eventContext(id));
    const row = {
      id,
      account_id: accountId,
      project_id: projectId,
      type: event.type,
      data: JSON.stringify(event.data),
      sealed_data: sealed,
      created_at: now,
    };
    const deliveries = wanting.map(({ webhookId, isHeld }) => ({
      id: this.#ids('dlv'),
      event_id: id,
      webhook_id: webhookId,
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
    }));
    return { row, deliveries };
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
}

interface Subscriber {
  readonly webhookId: string;
  readonly topics: readonly string[];
  readonly isHeld: boolean;
}

/** Where an event happened: all events of one place have the same subscribers. */
const placeOf = ({ accountId, projectId }: OutgoingEvent): string => `${accountId} ${projectId}`;

/** Asked once for each place: a flush may tell of thousands of first uses in one project. */
async function subscribersOf(
  tx: Tx,
  events: readonly OutgoingEvent[],
): Promise<Map<string, Subscriber[]>> {
  const places = new Map(events.map((event) => [placeOf(event), event]));
  const found = [...places].map(
    async ([place, event]) => [place, await liveSubscribers(tx, event)] as const,
  );
  return new Map(await Promise.all(found));
}

/** Hooks of the event's project and of the whole account; those of an inactive project hold. */
async function liveSubscribers(tx: Tx, event: OutgoingEvent): Promise<Subscriber[]> {
  const { projectId } = event;
  const rows = await tx
    .selectFrom('webhooks')
    .select(['webhooks.id', 'webhooks.topics'])
    .where('webhooks.account_id', '=', event.accountId)
    .where('webhooks.status', '=', 'live')
    .where('webhooks.deleted_at', 'is', null)
    .where((eb) =>
      projectId === null
        ? eb('webhooks.project_id', 'is', null)
        : eb.or([eb('webhooks.project_id', 'is', null), eb('webhooks.project_id', '=', projectId)]),
    )
    .execute();
  if (rows.length === 0) return [];
  const isHeld = projectId !== null && (await inactiveProjects(tx, [projectId])).has(projectId);
  return rows.map((row) => ({ webhookId: row.id, topics: JSON.parse(row.topics), isHeld }));
}
