import { type Kysely, type Selectable, sql } from 'kysely';
import type { MakeId } from '../../kernel/ids.ts';
import type { RowRange } from '../../kernel/paging.ts';
import { sha256 } from '../../kernel/secrets/crypto.ts';
import type { Database, Storage, Tx } from '../../storage/index.ts';
import type { LeaksTable } from '../../storage/schema/keys.ts';

/** Where values were found. Contains no value. */
export interface LeakLocation {
  readonly source: string;
  readonly url: string | null;
}

/** A key or access key whose value was reported. */
export interface LeakedKey {
  readonly id: string;
  readonly accountId: string;
  readonly projectId: string | null;
}

export type Action = LeaksTable['action'];

/** Stores a report. True if this location was not reported for this key before. */
export async function saveLeak(
  tx: Tx,
  ids: MakeId,
  key: LeakedKey,
  { source, url }: LeakLocation,
  action: Action,
  now: number,
): Promise<boolean> {
  const { reports } = await tx
    .insertInto('leaks')
    .values({
      id: ids('lek'),
      account_id: key.accountId,
      project_id: key.projectId,
      key_id: key.id,
      source,
      url,
      fingerprint: sha256(`${source}\n${url ?? ''}`),
      action,
      reports: 1,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'fingerprint'])
        .doUpdateSet({ reports: sql`leaks.reports + 1`, action, updated_at: now }),
    )
    .returning('reports')
    .executeTakeFirstOrThrow();
  return reports === 1;
}

export async function onLeakOf(
  db: Kysely<Database>,
  projectId: string | null,
): Promise<'notify' | 'revoke'> {
  if (projectId === null) return 'notify';
  const project = await db
    .selectFrom('projects')
    .select('on_leak')
    .where('id', '=', projectId)
    .executeTakeFirst();
  return project?.on_leak ?? 'notify';
}

interface LeakFilter {
  readonly accountId: string;
  readonly projectIds: readonly string[] | null;
  readonly keyId: string | undefined;
  readonly withAccessKeys: boolean;
  readonly isActive: boolean | undefined;
}

/** Joined with the key or access key; null where it was erased. */
export type LeakRow = Selectable<LeaksTable> & {
  readonly mask: string | null;
  readonly name: string | null;
  readonly is_active: 0 | 1 | null;
};

export function listLeakRows(
  storage: Storage,
  { accountId, projectIds, keyId, withAccessKeys, isActive }: LeakFilter,
  { after, offset, size }: RowRange<string>,
  now: number,
): Promise<LeakRow[]> {
  const activeNow = sql<0 | 1 | null>`case
    when coalesce(api_keys.expires_at, access_keys.expires_at) <= ${now} then 0
    else coalesce(api_keys.is_active, access_keys.is_active) end`;
  let query = storage.read
    .selectFrom('leaks')
    .leftJoin('api_keys', 'api_keys.id', 'leaks.key_id')
    .leftJoin('access_keys', 'access_keys.id', 'leaks.key_id')
    .selectAll('leaks')
    .select([
      sql<string | null>`coalesce(api_keys.mask, access_keys.mask)`.as('mask'),
      sql<string | null>`coalesce(api_keys.name, access_keys.name)`.as('name'),
      activeNow.as('is_active'),
    ])
    .where('leaks.account_id', '=', accountId)
    .orderBy('leaks.id', 'desc')
    .limit(size)
    .offset(offset);
  if (projectIds !== null) query = query.where('leaks.project_id', 'in', projectIds);
  if (keyId !== undefined) query = query.where('leaks.key_id', '=', keyId);
  if (!withAccessKeys) query = query.where(sql<boolean>`substr(leaks.key_id, 1, 4) = 'key_'`);
  if (isActive !== undefined) query = query.where(activeNow, '=', isActive ? 1 : 0);
  if (after !== null) query = query.where('leaks.id', '<', after);
  return query.execute();
}
