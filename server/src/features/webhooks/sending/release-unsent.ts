import { type RawBuilder, sql } from 'kysely';
import { executeMany, type Storage, type Tx } from '../../../storage/index.ts';
import type { DeliveryStatus } from '../../../storage/schema/webhooks.ts';
import { lockInactiveProjects, lockInactiveWebhooks } from '../deliveries/delivery-blockers.ts';
import { eraseFinishedValues } from '../store.ts';
import type { Claimed } from './claims.ts';

/** Releases claimed deliveries that must not be sent now, without counting an attempt. */
export function releaseUnsent(
  storage: Storage,
  { hold, cancel }: { hold: readonly Claimed[]; cancel: readonly Claimed[] },
  now: number,
): Promise<void> {
  return storage.transaction(async (tx) => {
    // Checked again in this transaction: the webhook or project may have become active since, and
    // that change released only the deliveries that were held by then.
    const waiting = await stillWaiting(tx, hold);
    const freed = hold.filter((delivery) => !waiting.includes(delivery));
    await Promise.all([
      release(tx, waiting, sql`case when status = 'pending' then 'held' else status end`, now),
      release(tx, freed, sql`status`, now),
      release(tx, cancel, sql`'cancelled'`, now),
    ]);
    await eraseFinishedValues(tx, [...new Set(cancel.map(({ eventId }) => eventId))]);
  });
}

async function stillWaiting(tx: Tx, hold: readonly Claimed[]): Promise<Claimed[]> {
  const webhooks = await lockInactiveWebhooks(tx, distinct(hold.map(({ webhookId }) => webhookId)));
  const projects = await lockInactiveProjects(
    tx,
    distinct(hold.flatMap(({ projectId }) => projectId ?? [])),
  );
  return hold.filter(
    ({ webhookId, projectId }) => webhooks.has(webhookId) || projects.has(projectId ?? ''),
  );
}

const distinct = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Releases the leases, except those that another node has taken meanwhile. */
const release = (
  tx: Tx,
  claimed: readonly Claimed[],
  status: RawBuilder<DeliveryStatus>,
  now: number,
): Promise<void> =>
  executeMany(tx, claimed, ({ id, leaseToken }) =>
    tx
      .updateTable('deliveries')
      .set({ status, lease_token: null, lease_until: null, updated_at: now })
      .where('id', '=', id)
      .where('lease_token', '=', leaseToken),
  );
