import { deleteInBatches, type Storage } from '../../../storage/index.ts';

const KEPT_MS = 30 * 86_400_000;
/** Events in one transaction, each with its deliveries and their attempts. */
const EVENTS_PER_TRANSACTION = 200;
/** Lock: one node at a time deletes. */
const SWEEP = 'delivery sweep';

/**
 * Deletes events older than 30 days with their deliveries and attempts, in short transactions. An
 * event is kept while one of its deliveries is waiting: a project may be inactive for over a month.
 * Returns the number of events.
 */
export async function sweepDeliveries(storage: Storage, now: number): Promise<number> {
  const swept = await deleteInBatches(EVENTS_PER_TRANSACTION, (max) =>
    sweepEvents(storage, now - KEPT_MS, max),
  );
  await sweepWebhooks(storage, now - KEPT_MS);
  return swept;
}

function sweepEvents(storage: Storage, before: number, max: number): Promise<number> {
  return storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, SWEEP))) return 0;
    const old = await tx
      .selectFrom('events')
      .select('id')
      .where('created_at', '<', before)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('deliveries')
              .select('deliveries.id')
              .whereRef('deliveries.event_id', '=', 'events.id')
              .where('deliveries.status', 'in', ['pending', 'held']),
          ),
        ),
      )
      .orderBy('created_at')
      .limit(max)
      .execute();
    if (old.length > 0)
      await tx
        .deleteFrom('events')
        .where(
          'id',
          'in',
          old.map(({ id }) => id),
        )
        .execute();
    return old.length;
  });
}

/** Deletes old finished replays, and deleted webhooks without deliveries and replays. */
function sweepWebhooks(storage: Storage, before: number): Promise<void> {
  return storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, SWEEP))) return;
    await tx
      .deleteFrom('webhook_replays')
      .where('created_at', '<', before)
      .where('status', '!=', 'running')
      .execute();
    await tx
      .deleteFrom('webhooks')
      .where('deleted_at', 'is not', null)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('deliveries')
              .select('deliveries.id')
              .whereRef('deliveries.webhook_id', '=', 'webhooks.id'),
          ),
        ),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('webhook_replays')
              .select('webhook_replays.id')
              .whereRef('webhook_replays.webhook_id', '=', 'webhooks.id'),
          ),
        ),
      )
      .execute();
  });
}
