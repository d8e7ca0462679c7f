import type { Insertable, Kysely, Selectable } from 'kysely';
import type { RowRange } from '../../../kernel/paging.ts';
import { type Database, forShare, type Storage, type Tx } from '../../../storage/index.ts';
import type { EventsTable, WebhookReplaysTable } from '../../../storage/schema/webhooks.ts';
import type { WebhookRow } from '../store.ts';

export type ReplayRow = Selectable<WebhookReplaysTable>;

export const insertReplay = (tx: Tx, row: Insertable<WebhookReplaysTable>) =>
  tx.insertInto('webhook_replays').values(row).execute();

const replaysOf = (db: Kysely<Database>, webhookId: string) =>
  db.selectFrom('webhook_replays').selectAll().where('webhook_id', '=', webhookId);

export const findReplay = (db: Kysely<Database>, webhookId: string, id: string) =>
  replaysOf(db, webhookId).where('id', '=', id).executeTakeFirst();

export const runningReplayOf = (db: Kysely<Database>, webhookId: string) =>
  replaysOf(db, webhookId).where('status', '=', 'running').executeTakeFirst();

export function listReplayRows(
  storage: Storage,
  webhookId: string,
  { after, offset, size }: RowRange<string>,
): Promise<ReplayRow[]> {
  let query = replaysOf(storage.read, webhookId).orderBy('id', 'desc').limit(size).offset(offset);
  if (after !== null) query = query.where('id', '<', after);
  return query.execute();
}

export const cancelReplays = (tx: Tx, webhookId: string, now: number) =>
  tx
    .updateTable('webhook_replays')
    .set({ status: 'cancelled', updated_at: now })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'running')
    .execute();

/** Of all tenants; only for the runner. */
export const runningReplays = (storage: Storage): Promise<ReplayRow[]> =>
  storage.read
    .selectFrom('webhook_replays')
    .selectAll()
    .where('status', '=', 'running')
    .orderBy('id')
    .execute();

export const webhookOf = (db: Kysely<Database>, replay: ReplayRow): Promise<WebhookRow> =>
  forShare(
    db,
    db.selectFrom('webhooks').selectAll().where('id', '=', replay.webhook_id),
    'webhooks',
  ).executeTakeFirstOrThrow();

export type Range = Pick<ReplayRow, 'account_id' | 'since' | 'until' | 'cursor'>;

/** Events after the cursor that match the present settings of the webhook. */
function matching(db: Kysely<Database>, hook: WebhookRow, range: Range) {
  const query = db
    .selectFrom('events')
    .where('account_id', '=', range.account_id)
    .where('id', '>', range.cursor)
    .where('created_at', '>=', range.since)
    .where('created_at', '<=', range.until)
    .where('type', 'in', JSON.parse(hook.topics) as string[]);
  return hook.project_id === null ? query : query.where('project_id', '=', hook.project_id);
}

export async function countEvents(
  db: Kysely<Database>,
  hook: WebhookRow,
  range: Range,
): Promise<number> {
  const { count } = await matching(db, hook, range)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export const nextEvents = (
  db: Kysely<Database>,
  hook: WebhookRow,
  range: Range,
  size: number,
): Promise<ReplayedEvent[]> =>
  matching(db, hook, range)
    .select(['id', 'type', 'project_id'])
    .orderBy('id')
    .limit(size)
    .execute();

export type ReplayedEvent = Pick<Selectable<EventsTable>, 'id' | 'type' | 'project_id'>;

/** Advances a replay. False if another node has advanced or ended it since it was read. */
export async function advanceReplay(
  tx: Tx,
  replay: ReplayRow,
  change: Pick<ReplayRow, 'cursor' | 'queued' | 'total' | 'status' | 'updated_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_replays')
    .set(change)
    .where('id', '=', replay.id)
    .where('status', '=', 'running')
    .where('cursor', '=', replay.cursor)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
