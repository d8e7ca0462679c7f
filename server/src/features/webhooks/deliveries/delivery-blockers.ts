import { forShare, type Tx } from '../../../storage/index.ts';

/**
 * Whoever keeps a delivery back for one of these relies on what it found: a project that became
 * active at the same moment would release what it sees held, and leave this one waiting for ever.
 */
export async function inactiveProjects(
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

export async function silentWebhooks(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const silent = tx
    .selectFrom('webhooks')
    .select('id')
    .where('id', 'in', ids)
    .where('status', '!=', 'live')
    .orderBy('id');
  return idsOf(await forShare(tx, silent, 'webhooks').execute());
}

const idsOf = (rows: readonly { id: string }[]): ReadonlySet<string> =>
  new Set(rows.map(({ id }) => id));
