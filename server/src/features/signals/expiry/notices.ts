import type { Kysely } from 'kysely';
import {
  type Database,
  executeMany,
  forUpdateSkipLocked,
  type Storage,
  type Tx,
} from '../../../storage/index.ts';
import { apiKey, type KeyWithCredits, keysBySeq } from '../../api-keys/index.ts';
import type { Outbox, OutgoingEvent } from '../../changes/index.ts';
import { type Notices, noticesOfProjects } from '../../projects/index.ts';
import { isMailed, type ScheduleMails } from '../mails.ts';
import { DAY_MS, daysLeft, decideExpiry, EXPIRED } from './rules.ts';

/** Keys in one transaction: few, so that other changes do not wait long. */
const KEYS_PER_TRANSACTION = 200;
/** How long notices are remembered after the expiry. */
const KEPT_MS = 30 * DAY_MS;

interface ExpiryParts {
  readonly storage: Storage;
  readonly outbox: Outbox;
  readonly scheduleMails: ScheduleMails;
}

/**
 * Checks some keys that are due, and writes their events. Schedule, notices and events change in one
 * transaction, so each notice is sent once, even if several nodes run this or one is killed.
 * Returns the number of keys.
 */
export async function expiryStep(parts: ExpiryParts, now: number): Promise<number> {
  const { storage, outbox } = parts;
  // Usually nothing is due: then no transaction is needed.
  if ((await dueRows(storage.read, now, 1).execute()).length === 0) return 0;
  const { visited, webhookIds } = await storage.transaction(async (tx) => {
    const seqs = await dueKeys(tx, now);
    if (seqs.length === 0) return { visited: 0, webhookIds: [] };
    // Read in a second statement, after the schedule is locked, so that earlier changes of the keys are seen.
    const keys = new Map((await keysBySeq(tx, seqs)).map((row) => [row.seq, row]));
    const settings = await noticesOfProjects(tx, keys.values());
    const since = await upgradedAt(tx);
    const candidates: Candidate[] = [];
    const next: { seq: number; dueAt: number }[] = [];
    const done: number[] = [];
    for (const seq of seqs) {
      const row = keys.get(seq);
      const { step, nextAt } = row ? decisionOf(row, settings, since, now) : NOTHING;
      if (row && step !== null) candidates.push({ row, step });
      if (nextAt === null) done.push(seq);
      else next.push({ seq, dueAt: nextAt });
    }
    const events = (await notSentYet(tx, candidates)).map((each) => ({
      ...expiryEvent(each, now),
      isKept: isMailed(settings, each.row.project_id),
    }));
    await Promise.all([
      executeMany(tx, next, ({ seq, dueAt }) =>
        tx.updateTable('expiry_schedule').set({ due_at: dueAt }).where('key_seq', '=', seq),
      ),
      done.length > 0 && tx.deleteFrom('expiry_schedule').where('key_seq', 'in', done).execute(),
      parts.scheduleMails(tx, events, settings, now),
    ]);
    const webhookIds = events.length > 0 ? await outbox.write(tx, events, now) : [];
    return { visited: seqs.length, webhookIds };
  });
  outbox.wake(webhookIds);
  return visited;
}

const NOTHING = { step: null, nextAt: null };

const dueRows = (db: Kysely<Database>, now: number, size: number) =>
  db
    .selectFrom('expiry_schedule')
    .select('key_seq')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(size);

async function dueKeys(tx: Tx, now: number): Promise<number[]> {
  const due = dueRows(tx, now, KEYS_PER_TRANSACTION);
  const rows = await forUpdateSkipLocked(tx, due, 'expiry_schedule').execute();
  return rows.map(({ key_seq }) => key_seq);
}

/** When this database began to send notices. */
async function upgradedAt(tx: Tx): Promise<number> {
  const { position } = await tx
    .selectFrom('signal_cursors')
    .select('position')
    .where('name', '=', 'upgraded at')
    .executeTakeFirstOrThrow();
  return position;
}

/** An inactive project announces nothing. When it is reactivated, its keys are checked again. */
function decisionOf(
  row: KeyWithCredits,
  settings: ReadonlyMap<string, Notices>,
  since: number,
  now: number,
) {
  if (row.project_is_active === 0) return NOTHING;
  const key = {
    isActive: row.is_active === 1,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
  // A key that was rotated needs no warning: another has replaced it.
  const expiryDays = row.rotated_to === null ? settings.get(row.project_id)!.expiryDays : [];
  return decideExpiry(key, expiryDays, since, now);
}

interface Candidate {
  readonly row: KeyWithCredits;
  readonly step: number;
}

/** Records the notices, and leaves out those that were sent before. */
async function notSentYet(tx: Tx, candidates: readonly Candidate[]): Promise<Candidate[]> {
  if (candidates.length === 0) return [];
  const inserted = await tx
    .insertInto('expiry_notices')
    .values(
      candidates.map(({ row, step }) => ({ expires_at: row.expires_at!, key_seq: row.seq, step })),
    )
    .onConflict((conflict) => conflict.columns(['expires_at', 'key_seq', 'step']).doNothing())
    .returning('key_seq')
    .execute();
  const seqs = new Set(inserted.map(({ key_seq }) => key_seq));
  return candidates.filter(({ row }) => seqs.has(row.seq));
}

const expiryEvent = ({ row, step }: Candidate, now: number): OutgoingEvent => ({
  type: step === EXPIRED ? 'api-key.expired' : 'api-key.expiring',
  accountId: row.account_id,
  projectId: row.project_id,
  data:
    step === EXPIRED ? apiKey(row) : { ...apiKey(row), daysLeft: daysLeft(row.expires_at!, now) },
  isBulk: true,
});

/** Schedules some keys of a project whose settings changed. False: none is left, or another node does it. */
export async function rescanStep(storage: Storage, now: number): Promise<boolean> {
  const rescans = storage.read.selectFrom('expiry_rescans').select('project_id').limit(1);
  if ((await rescans.execute()).length === 0) return false;
  return storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, 'expiry rescan'))) return false;
    const rescan = await tx.selectFrom('expiry_rescans').selectAll().executeTakeFirst();
    if (rescan === undefined) return false;
    const keys = await tx
      .selectFrom('api_keys')
      .innerJoin('projects', (join) =>
        join
          .onRef('projects.id', '=', 'api_keys.project_id')
          .onRef('projects.account_id', '=', 'api_keys.account_id'),
      )
      .select(['api_keys.seq', 'api_keys.id', 'api_keys.expires_at'])
      .where('projects.id', '=', rescan.project_id)
      .where('api_keys.id', '>', rescan.after_id)
      .orderBy('api_keys.id')
      .limit(KEYS_PER_TRANSACTION)
      .execute();
    const due = keys.filter(({ expires_at }) => expires_at !== null && expires_at > now - KEPT_MS);
    await executeMany(tx, due, ({ seq }) =>
      tx
        .insertInto('expiry_schedule')
        .values({ key_seq: seq, due_at: 0 })
        .onConflict((conflict) => conflict.column('key_seq').doUpdateSet({ due_at: 0 })),
    );
    const advance = tx.updateTable('expiry_rescans').set({ after_id: keys.at(-1)?.id ?? '' });
    await (keys.length < KEYS_PER_TRANSACTION
      ? tx.deleteFrom('expiry_rescans').where('project_id', '=', rescan.project_id).execute()
      : advance.where('project_id', '=', rescan.project_id).execute());
    return true;
  });
}

/** Schedules all keys again after the clock went back: notices that were skipped as too old may be due. */
export const rescanAll = (storage: Storage): Promise<unknown> =>
  storage.transaction((tx) =>
    tx
      .insertInto('expiry_rescans')
      .columns(['project_id', 'after_id'])
      .expression((eb) =>
        eb
          .selectFrom('projects')
          .select(['id', eb.val('').as('after_id')])
          // Without a condition, SQLite would read ON CONFLICT as a join.
          .where('id', '!=', ''),
      )
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ after_id: '' }))
      .execute(),
  );

export const sweepExpiryNotices = (storage: Storage, now: number): Promise<unknown> =>
  storage.transaction((tx) =>
    tx
      .deleteFrom('expiry_notices')
      .where('expires_at', '<', now - KEPT_MS)
      .execute(),
  );
