import { sql } from 'kysely';
import type { Storage } from '../../../storage/index.ts';
import { eraseFinishedSecrets } from '../store.ts';
import type { Claimed } from './claims.ts';

/** Claimed, but not to be sent now: no attempt is counted. */
export function settleUnsent(
  storage: Storage,
  { hold, cancel }: { hold: readonly Claimed[]; cancel: readonly Claimed[] },
  now: number,
): Promise<void> {
  return storage.transaction(async (tx) => {
    const held = tx
      .updateTable('deliveries')
      .set({
        // Asked again here: what made it wait may have ended since the claim was looked at, and
        // whoever ended it has released everything that was held by then.
        status: sql`case when status = 'pending' and (
            exists (select 1 from webhooks
              where webhooks.id = deliveries.webhook_id and webhooks.status <> 'live')
            or exists (select 1 from projects
              where projects.id = deliveries.project_id and projects.is_active = 0))
          then 'held' else status end`,
        lease_token: sql`null`,
        lease_until: sql`null`,
        updated_at: 0,
      })
      .where('id', '=', '')
      .where('lease_token', '=', '')
      .compile();
    const cancelled = tx
      .updateTable('deliveries')
      .set({
        status: sql`'cancelled'`,
        lease_token: sql`null`,
        lease_until: sql`null`,
        updated_at: 0,
      })
      .where('id', '=', '')
      .where('lease_token', '=', '')
      .compile();
    const rows = (some: readonly Claimed[]) =>
      some.map(({ id, leaseToken }) => [now, id, leaseToken]);
    await Promise.all([
      storage.many(tx, held, rows(hold)),
      storage.many(tx, cancelled, rows(cancel)),
    ]);
    await eraseFinishedSecrets(tx, [...new Set(cancel.map(({ eventId }) => eventId))]);
  });
}
