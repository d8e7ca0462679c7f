import type { Kysely, Selectable } from 'kysely';
import { type Database, pointQuery, type Storage, toChange } from '../../storage/index.ts';
import type { ProjectsTable } from '../../storage/schema.ts';

export type ProjectRow = Selectable<ProjectsTable>;

export const projectIn = (
  db: Kysely<Database>,
  accountId: string,
  id: string,
): Promise<ProjectRow | undefined> => findProject(db, accountId, id);

/** `accountId` null: in any account, for the operator. */
export function findProject(
  db: Kysely<Database>,
  accountId: string | null,
  id: string,
): Promise<ProjectRow | undefined> {
  const query = db.selectFrom('projects').selectAll().where('id', '=', id);
  const scoped = accountId === null ? query : query.where('account_id', '=', accountId);
  return toChange(db, scoped, 'projects').executeTakeFirst();
}

const ofAccount = pointQuery((db) =>
  db.selectFrom('projects').selectAll().where('account_id', '=', '').where('id', '=', '').compile(),
);

/** The same as `projectIn`, outside of transactions and for every key that is made. */
export async function projectAtHand(
  storage: Storage,
  accountId: string,
  id: string,
): Promise<ProjectRow | undefined> {
  return (await ofAccount(storage, accountId, id))[0];
}

const activeOfAccount = pointQuery((db) =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', '')
    .where('is_active', '=', 1)
    .limit(2)
    .compile(),
);

/** For callers that name no project: there must be exactly one to mean. */
export async function onlyActiveProject(
  storage: Storage,
  accountId: string,
): Promise<ProjectRow | undefined> {
  const rows = await activeOfAccount(storage, accountId, 1, 2);
  return rows.length === 1 ? rows[0] : undefined;
}

export function listProjectRows(
  storage: Storage,
  accountId: string,
  projectIds: readonly string[] | null,
  before: string | null,
  size: number,
): Promise<ProjectRow[]> {
  let query = storage.read
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(size);
  if (projectIds !== null) query = query.where('id', 'in', projectIds);
  if (before !== null) query = query.where('id', '<', before);
  return query.execute();
}
