import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Storage, Tx } from '../../../storage/index.ts';
import type { DeliveryStatus } from '../../../storage/schema/webhooks.ts';
import { lockInactiveProjects, lockInactiveWebhooks } from '../deliveries/delivery-blockers.ts';
import { eraseFinishedSecrets } from '../store.ts';
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
    const held = releaseStatement(
      tx,
      sql`case when status = 'pending' then 'held' else status end`,
    );
    const unchanged = releaseStatement(tx, sql`status`);
    const cancelled = releaseStatement(tx, sql`'cancelled'`);
    const rows = (some: readonly Claimed[]) =>
      some.map(({ id, leaseToken }) => [now, id, leaseToken]);
    await Promise.all([
      storage.executeMany(tx, held, rows(waiting)),
      storage.executeMany(tx, unchanged, rows(freed)),
      storage.executeMany(tx, cancelled, rows(cancel)),
    ]);
    await eraseFinishedSecrets(tx, [...new Set(cancel.map(({ eventId }) => eventId))]);
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

/** Releases the lease, unless another node has taken it meanwhile. */
const releaseStatement = (tx: Tx, status: RawBuilder<DeliveryStatus>): CompiledQuery =>
  tx
    .updateTable('deliveries')
    .set({ status, lease_token: sql`null`, lease_until: sql`null`, updated_at: 0 })
    .where('id', '=', '')
    .where('lease_token', '=', '')
    .compile();
