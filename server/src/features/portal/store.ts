import type { Kysely, Selectable } from 'kysely';
import { PORTAL_SCOPES, type PortalAction, type PortalPrincipal } from '../../kernel/authority.ts';
import type { RowRange } from '../../kernel/paging.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { isPortalToken } from '../../kernel/secrets/key-values.ts';
import { type Database, deleteInBatches, forUpdate, type Storage } from '../../storage/index.ts';
import type { PortalSessionsTable } from '../../storage/schema/customers.ts';
import { originsOf } from '../projects/index.ts';
import type { ListPortalSessions } from './schema.ts';

export type PortalSessionRow = Selectable<PortalSessionsTable>;

/** The account and projects whose sessions a caller may see. */
interface SessionTenant {
  readonly accountId: string;
  readonly projectIds: readonly string[] | null;
}

function sessionRows(db: Kysely<Database>, { accountId, projectIds }: SessionTenant, now: number) {
  const query = db
    .selectFrom('portal_sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now);
  return projectIds === null ? query : query.where('project_id', 'in', projectIds);
}

export const findSession = (
  db: Kysely<Database>,
  tenant: SessionTenant,
  id: string,
  now: number,
): Promise<PortalSessionRow | undefined> =>
  forUpdate(
    db,
    sessionRows(db, tenant, now).where('id', '=', id),
    'portal_sessions',
  ).executeTakeFirst();

export function listSessionRows(
  storage: Storage,
  tenant: SessionTenant,
  { projectId, customAccountId }: ListPortalSessions,
  now: number,
  { after, offset, size }: RowRange<string>,
): Promise<PortalSessionRow[]> {
  let query = sessionRows(storage.read, tenant, now)
    .orderBy('id', 'desc')
    .limit(size)
    .offset(offset);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (customAccountId !== undefined) query = query.where('custom_account_id', '=', customAccountId);
  if (after !== null) query = query.where('id', '<', after);
  return query.execute();
}

/**
 * Finds the session of a token. The session and its project are read with every request, so that the end
 * of a session takes effect on every node immediately.
 */
export class PortalSessions {
  readonly #storage: Storage;
  readonly #secrets: Secrets;

  constructor(parts: { storage: Storage; secrets: Secrets }) {
    this.#storage = parts.storage;
    this.#secrets = parts.secrets;
  }

  async find(token: string, now: number): Promise<PortalPrincipal | null> {
    if (!isPortalToken(token)) return null;
    const row = await this.#storage.point
      .selectFrom('portal_sessions')
      .innerJoin('projects', 'projects.id', 'portal_sessions.project_id')
      .selectAll('portal_sessions')
      .select(['projects.is_active', 'projects.portal_origins'])
      .where('portal_sessions.hash', '=', this.#secrets.hashValue(token))
      .executeTakeFirst();
    if (row === undefined || row.expires_at <= now || row.is_active === 0) return null;
    const actions: readonly PortalAction[] = JSON.parse(row.allow);
    return {
      kind: 'portal',
      id: row.id,
      accountId: row.account_id,
      projectIds: [row.project_id],
      customAccountId: row.custom_account_id,
      actions: new Set(actions),
      scopes: new Set(actions.map((action) => PORTAL_SCOPES[action])),
      permissionCap: row.permissions === null ? null : JSON.parse(row.permissions),
      origins: originsOf(row),
    };
  }
}

const ROWS_PER_TRANSACTION = 500;

/** Deletes expired sessions. Returns their number. */
export const sweepPortalSessions = (storage: Storage, now: number): Promise<number> =>
  deleteInBatches(ROWS_PER_TRANSACTION, async (max) => {
    const { numDeletedRows } = await storage.transaction((tx) =>
      tx
        .deleteFrom('portal_sessions')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('portal_sessions as due')
            .select('due.id')
            .where('due.expires_at', '<=', now)
            .limit(max),
        )
        .executeTakeFirst(),
    );
    return Number(numDeletedRows);
  });

/** What the pages of the portal need to know about a project, without a credential. */
export class PortalPages {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The sites that may embed the page; none for an unknown or inactive project. */
  async origins(projectId: string): Promise<readonly string[]> {
    const row = await this.#storage.point
      .selectFrom('projects')
      .select('portal_origins')
      .where('id', '=', projectId)
      .where('is_active', '=', 1)
      .executeTakeFirst();
    return row === undefined ? [] : originsOf(row);
  }

  async logo(projectId: string): Promise<Buffer | null> {
    const row = await this.#storage.point
      .selectFrom('project_logos')
      .select('png')
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    return row === undefined ? null : Buffer.from(row.png, 'base64');
  }
}
