import { forShare, type Tx } from '../../../storage/index.ts';

/**
 * Inactive projects and webhooks that are not live block deliveries. Their rows are locked, so that none
 * becomes active while a delivery is being held: that change would not release the delivery.
 */
export async function lockInactiveProjects(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const inactive = tx
    .selectFrom('projects')
    .select('id')
    .where('id', 'in', ids)
    .where('is_active', '=', 0)
    .orderBy('id');
  return idsOf(await forShare(tx, inactive, 'projects').execute());
}

export async function lockInactiveWebhooks(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const notLive = tx
    .selectFrom('webhooks')
    .select('id')
    .where('id', 'in', ids)
    .where('status', '!=', 'live')
    .orderBy('id');
  return idsOf(await forShare(tx, notLive, 'webhooks').execute());
}

const idsOf = (rows: readonly { id: string }[]): ReadonlySet<string> =>
  new Set(rows.map(({ id }) => id));
