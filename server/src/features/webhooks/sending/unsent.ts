import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Storage, Tx } from '../../../storage/index.ts';
import type { DeliveryStatus } from '../../../storage/schema.ts';
import { inactiveProjects, silentWebhooks } from '../deliveries/delivery-blockers.ts';
import { eraseFinishedSecrets } from '../store.ts';
import type { Claimed } from './claims.ts';

/** Claimed, but not to be sent now: no attempt is counted. */
export function settleUnsent(
  storage: Storage,
  { hold, cancel }: { hold: readonly Claimed[]; cancel: readonly Claimed[] },
  now: number,
): Promise<void> {
  return storage.transaction(async (tx) => {
    // Asked again here: what made it wait may have ended since the claim was looked at, and
    // whoever ended it has released everything that was held by then.
    const waiting = await stillWaiting(tx, hold);
    const freed = hold.filter((delivery) => !waiting.includes(delivery));
    const held = settled(tx, sql`case when status = 'pending' then 'held' else status end`);
    const unchanged = settled(tx, sql`status`);
    const cancelled = settled(tx, sql`'cancelled'`);
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
  const webhooks = await silentWebhooks(tx, distinct(hold.map(({ webhookId }) => webhookId)));
  const projects = await inactiveProjects(
    tx,
    distinct(hold.flatMap(({ projectId }) => projectId ?? [])),
  );
  return hold.filter(
    ({ webhookId, projectId }) => webhooks.has(webhookId) || projects.has(projectId ?? ''),
  );
}

const distinct = (ids: readonly string[]): string[] => [...new Set(ids)];

/** The lease goes back; one that another has taken meanwhile is left alone. */
const settled = (tx: Tx, status: RawBuilder<DeliveryStatus>): CompiledQuery =>
  tx
    .updateTable('deliveries')
    .set({ status, lease_token: sql`null`, lease_until: sql`null`, updated_at: 0 })
    .where('id', '=', '')
    .where('lease_token', '=', '')
    .compile();
