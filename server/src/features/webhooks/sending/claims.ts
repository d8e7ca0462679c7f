import { type Kysely, type SqlBool, sql } from 'kysely';
import {
  type Database,
  executeMany,
  forUpdateSkipLocked,
  type Storage,
  StorageFull,
  type Tx,
} from '../../../storage/index.ts';
import type { Flag } from '../../../storage/schema/columns.ts';
import type { SlotReservation } from './send-slots.ts';

/** A delivery that this node has leased. Until the lease ends, no other node sends or records it. */
export interface Claimed {
  readonly id: string;
  readonly eventId: string;
  readonly webhookId: string;
  /** The project of the event. */
  readonly projectId: string | null;
  /** Whether it is sent with the key value, if its event has one. Read again by `loadBatch`. */
  readonly carriesValue: boolean;
  /** Number of earlier attempts. */
  readonly attempts: number;
  readonly leaseToken: string;
}

export interface Lease {
  readonly now: number;
  readonly until: number;
  readonly token: string;
}

/** Claims due deliveries: priority 0 before 1, longest due first. Skips deliveries that are leased. */
export async function claimDue(
  tx: Tx,
  reservations: readonly SlotReservation[],
  lease: Lease,
): Promise<Claimed[]> {
  const claimed = await Promise.all(
    reservations.map((reservation) => claimOf(tx, reservation, lease)),
  );
  return claimed.flat();
}

async function claimOf(
  tx: Tx,
  { webhookId, slots }: SlotReservation,
  lease: Lease,
): Promise<Claimed[]> {
  const { now, until, token } = lease;
  const rows = await tx
    // Materialized: otherwise PostgreSQL may run the subquery for each row and claim too many.
    .with(
      (cte) => cte('due').materialized(),
      (db) =>
        db
          .selectFrom(
            dueIn(tx, webhookId, 0, slots, now)
              .unionAll(dueIn(tx, webhookId, 1, slots, now))
              .as('due'),
          )
          .select('due.id')
          .orderBy('due.lane')
          .orderBy('due.due_at')
          .limit(slots),
    )
    .updateTable('deliveries')
    .set({ lease_token: token, lease_until: until })
    .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
    .returning(['id', 'event_id', 'webhook_id', 'project_id', 'carries_value'])
    .returning(['attempts', 'lane', 'due_at'])
    .execute();
  return rows
    .sort((a, b) => a.lane - b.lane || a.due_at - b.due_at)
    .map((row) => ({
      id: row.id,
      eventId: row.event_id,
      webhookId: row.webhook_id,
      projectId: row.project_id,
      carriesValue: row.carries_value === 1,
      attempts: row.attempts,
      leaseToken: token,
    }));
}

/** One index range per priority (column `lane`): a range over both would scan every retry that is not due yet. */
function dueIn(tx: Tx, webhookId: string, priority: Flag, limit: number, now: number) {
  const due = tx
    .selectFrom('deliveries as d')
    .select(['d.id', 'd.lane', 'd.due_at'])
    .where('d.webhook_id', '=', webhookId)
    .where('d.status', '=', 'pending')
    .where('d.lane', '=', priority)
    .where('d.due_at', '<=', now)
    .where((where) =>
      where.or([where('d.lease_until', 'is', null), where('d.lease_until', '<=', now)]),
    )
    .orderBy('d.due_at')
    .limit(limit);
  return tx
    .selectFrom(forUpdateSkipLocked(tx, due, 'd').as('some'))
    .select(['some.id', 'some.lane', 'some.due_at']);
}

/** The next due time of each webhook, without leased deliveries; absent if there is none. */
export async function nextDueTimes(
  storage: Storage,
  webhookIds: readonly string[],
): Promise<Map<string, number>> {
  if (webhookIds.length === 0) return new Map();
  const rows = await storage.read
    .selectFrom('webhooks')
    .select(['id', earliest(0, sql`lease_until is null`), earliest(1, sql`lease_until is null`)])
    .where('id', 'in', padded(webhookIds))
    .execute();
  return dueTimes(rows);
}

/**
 * The next due time of all webhooks with pending deliveries. Two index lookups per webhook, however
 * many deliveries wait. Includes leased deliveries: they may cost a claim that finds nothing.
 */
export async function allDueTimes(storage: Storage): Promise<Map<string, number>> {
  const rows = await storage.read
    .selectFrom('webhooks')
    .select(['id', earliest(0, sql`1 = 1`), earliest(1, sql`1 = 1`)])
    .execute();
  return dueTimes(rows);
}

const earliest = (priority: Flag, condition: ReturnType<typeof sql<SqlBool>>) =>
  sql<number | null>`(select due_at from deliveries where webhook_id = webhooks.id
    and status = 'pending' and lane = ${sql.lit(priority)} and ${condition}
    order by due_at limit 1)`.as(priority === 0 ? 'due_0' : 'due_1');

function dueTimes(
  rows: readonly { id: string; due_0?: number | null; due_1?: number | null }[],
): Map<string, number> {
  const times = new Map<string, number>();
  for (const { id, due_0, due_1 } of rows) {
    const dueAt = Math.min(due_0 ?? Infinity, due_1 ?? Infinity);
    if (dueAt !== Infinity) times.set(id, dueAt);
  }
  return times;
}

/** Leases that were lost meanwhile are not extended. */
export function extendLeases(
  storage: Storage,
  claimed: readonly Claimed[],
  until: number,
): Promise<void> {
  return storage.transaction((tx) =>
    executeMany(tx, claimed, ({ id, leaseToken }) =>
      tx
        .updateTable('deliveries')
        .set({ lease_until: until })
        .where('id', '=', id)
        .where('lease_token', '=', leaseToken),
    ),
  );
}

/** Makes unsent deliveries available again immediately. */
export function releaseLeases(storage: Storage, claimed: readonly Claimed[]): Promise<void> {
  return storage.transaction((tx) =>
    executeMany(tx, claimed, ({ id, leaseToken }) =>
      tx
        .updateTable('deliveries')
        .set({ lease_token: null, lease_until: null })
        .where('id', '=', id)
        .where('lease_token', '=', leaseToken),
    ),
  );
}

/**
 * For a database used by one process: leases found at its start belong to a dead process. Otherwise they end by
 * themselves, so a full disk does not prevent the start.
 */
export async function freeAllLeases(storage: Storage): Promise<void> {
  const freed = storage.transaction((tx) =>
    tx
      .updateTable('deliveries')
      .set({ lease_token: null, lease_until: null })
      // The condition on webhook_id makes the database use the index of waiting deliveries.
      .where('webhook_id', 'in', (eb) => eb.selectFrom('webhooks').select('id'))
      .where('status', 'in', ['pending', 'held'])
      .where('lease_until', 'is not', null)
      .execute(),
  );
  await freed.catch((error: unknown) => {
    if (!(error instanceof StorageFull)) throw error;
  });
}

export interface Backlog {
  /** Due deliveries, including those in flight. */
  readonly due: number;
  readonly oldestAgeMs: number;
}

export async function backlogOf(read: Kysely<Database>, now: number): Promise<Backlog> {
  const row = await read
    .selectFrom('deliveries')
    .select((eb) => [eb.fn.countAll<number>().as('due'), eb.fn.min('due_at').as('oldest')])
    .where('webhook_id', 'in', (eb) => eb.selectFrom('webhooks').select('id'))
    .where('status', '=', 'pending')
    .where('lane', 'in', [0, 1])
    .where('due_at', '<=', now)
    .executeTakeFirstOrThrow();
  return { due: Number(row.due), oldestAgeMs: row.oldest === null ? 0 : now - row.oldest };
}

/**
 * Pads a list to the next power of two by repeating its last id. Prepared statements are cached by
 * their text, and one for each length would evict all others.
 */
export function padded(ids: readonly string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(Math.max(ids.length, 1)));
  return [...ids, ...Array<string>(length - ids.length).fill(ids.at(-1) ?? '')];
}
