import type { Kysely, Selectable } from 'kysely';
import { KeywardError } from '../../kernel/errors.ts';
import type { RowRange } from '../../kernel/paging.ts';
import { type Database, forUpdate, type Storage, type Tx } from '../../storage/index.ts';
import type { ProjectsTable } from '../../storage/schema/accounts.ts';
import { listOrNull } from '../policies/index.ts';
import { PERIOD_MS, type UsageEvents } from './notices.ts';

export type ProjectRow = Selectable<ProjectsTable>;

export const originsOf = ({ portal_origins }: Pick<ProjectRow, 'portal_origins'>): string[] =>
  listOrNull(portal_origins) ?? [];

export const projectIn = (
  db: Kysely<Database>,
  accountId: string,
  id: string,
): Promise<ProjectRow | undefined> => findProject(db, accountId, id);

/** Throws unless the account has this project. */
export async function requireProject(
  db: Kysely<Database>,
  accountId: string,
  id: string,
): Promise<ProjectRow> {
  const project = await projectIn(db, accountId, id);
  if (!project) throw new KeywardError('project_not_found');
  return project;
}

/** `accountId` null: any account, for the operator. */
export function findProject(
  db: Kysely<Database>,
  accountId: string | null,
  id: string,
): Promise<ProjectRow | undefined> {
  const query = db.selectFrom('projects').selectAll().where('id', '=', id);
  const scoped = accountId === null ? query : query.where('account_id', '=', accountId);
  return forUpdate(db, scoped, 'projects').executeTakeFirst();
}

export function listProjectRows(
  storage: Storage,
  accountId: string,
  projectIds: readonly string[] | null,
  { after, offset, size }: RowRange<string>,
): Promise<ProjectRow[]> {
  let query = storage.read
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(size)
    .offset(offset);
  if (projectIds !== null) query = query.where('id', 'in', projectIds);
  if (after !== null) query = query.where('id', '<', after);
  return query.execute();
}

/** Replaces the logo; `png` undefined: removes it. */
export async function writeLogo(tx: Tx, projectId: string, png: string | undefined): Promise<void> {
  await tx.deleteFrom('project_logos').where('project_id', '=', projectId).execute();
  if (png !== undefined)
    await tx.insertInto('project_logos').values({ project_id: projectId, png }).execute();
}

/** A session does not come back when its project is reactivated. */
export const endPortalSessions = (tx: Tx, projectId: string) =>
  tx.deleteFrom('portal_sessions').where('project_id', '=', projectId).execute();

/** Makes a background job check the keys of the project again: other notices may be due. */
export async function rescanExpiryNotices(tx: Tx, projectId: string): Promise<void> {
  await tx
    .insertInto('expiry_rescans')
    .values({ project_id: projectId, after_id: '' })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ after_id: '' }))
    .execute();
}

/** Usage events begin with the period in which they are turned on. `settings` null: they are turned off. */
export async function resetUsagePeriods(
  tx: Tx,
  projectId: string,
  settings: UsageEvents | null,
  now: number,
): Promise<void> {
  await tx.deleteFrom('usage_periods').where('project_id', '=', projectId).execute();
  if (settings === null) return;
  const length = PERIOD_MS[settings.interval];
  const start = Math.floor(now / length) * length;
  const first = { project_id: projectId, start, part: 1, after: '', settings: null };
  await tx.insertInto('usage_periods').values(first).execute();
}
