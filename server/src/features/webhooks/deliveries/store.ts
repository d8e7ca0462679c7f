import type { Kysely, Selectable, Updateable } from 'kysely';
import { idFloor } from '../../../kernel/ids.ts';
import type { RowRange } from '../../../kernel/paging.ts';
import { type Database, forUpdate, type Tx } from '../../../storage/index.ts';
import type {
  DeliveriesTable,
  DeliveryAttemptsTable,
  DeliveryStatus,
} from '../../../storage/schema/webhooks.ts';
import type { WebhookRow } from '../store.ts';

/** A delivery, with the type and the record (JSON) of its event. */
export type DeliveryRow = Selectable<DeliveriesTable> & { type: string; data: string };
export type AttemptRow = Selectable<DeliveryAttemptsTable>;

type Hook = Pick<WebhookRow, 'id' | 'project_id'>;

/** A webhook that was restricted to one project no longer shows deliveries of other projects. */
const deliveryRows = (db: Kysely<Database>, hook: Hook) => {
  const query = db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .selectAll('deliveries')
    .select(['events.type', 'events.data'])
    .where('deliveries.webhook_id', '=', hook.id);
  return hook.project_id === null
    ? query
    : query.where('deliveries.project_id', '=', hook.project_id);
};

export const findDelivery = (
  db: Kysely<Database>,
  hook: Hook,
  id: string,
): Promise<DeliveryRow | undefined> =>
  forUpdate(
    db,
    deliveryRows(db, hook).where('deliveries.id', '=', id),
    'deliveries',
  ).executeTakeFirst();

/** Ids contain their creation time, but the clock of ids may run ahead of the real one. */
const ID_CLOCK_AHEAD_MS = 24 * 3_600_000;

export function listDeliveryRows(
  db: Kysely<Database>,
  hook: Hook,
  filter: { status?: DeliveryStatus; topic?: string; from: number | null; to: number | null },
  { after, offset, size }: RowRange<string>,
): Promise<DeliveryRow[]> {
  let query = deliveryRows(db, hook);
  if (filter.status !== undefined) query = query.where('deliveries.status', '=', filter.status);
  if (filter.topic !== undefined) query = query.where('events.type', '=', filter.topic);
  if (filter.from !== null)
    query = query
      .where('deliveries.created_at', '>=', filter.from)
      .where('deliveries.id', '>=', idFloor('dlv', filter.from));
  if (filter.to !== null)
    query = query
      .where('deliveries.created_at', '<=', filter.to)
      .where('deliveries.id', '<', idFloor('dlv', filter.to + ID_CLOCK_AHEAD_MS));
  if (after !== null) query = query.where('deliveries.id', '<', after);
  return query.orderBy('deliveries.id', 'desc').limit(size).offset(offset).execute();
}

const RECENT_ATTEMPTS = 10;

/** The latest attempts of each delivery, newest first. */
export async function recentAttempts(
  db: Kysely<Database>,
  deliveryIds: readonly string[],
): Promise<Map<string, AttemptRow[]>> {
  if (deliveryIds.length === 0) return new Map();
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('delivery_attempts')
        .selectAll()
        .select((inner) =>
          inner.fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('delivery_id').orderBy('seq', 'desc'))
            .as('age'),
        )
        .where('delivery_id', 'in', deliveryIds)
        .as('aged'),
    )
    .selectAll()
    .where('age', '<=', RECENT_ATTEMPTS)
    .orderBy('seq', 'desc')
    .execute();
  return Map.groupBy(rows, (row) => row.delivery_id);
}

export const eventOf = (db: Kysely<Database>, eventId: string) =>
  db.selectFrom('events').selectAll().where('id', '=', eventId).executeTakeFirstOrThrow();

export const updateDelivery = (tx: Tx, id: string, change: Updateable<DeliveriesTable>) =>
  tx.updateTable('deliveries').set(change).where('id', '=', id).execute();
