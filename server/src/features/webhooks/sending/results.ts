import { sql } from 'kysely';
import type { MakeId } from '../../../kernel/ids.ts';
import { executeMany, lockForUpdate, type Storage, type Tx } from '../../../storage/index.ts';
import { eraseFinishedValues } from '../store.ts';
import type { AttemptResult } from '../transport/send.ts';
import type { Claimed } from './claims.ts';
import { nextAttemptAt } from './schedule.ts';
import { type Disabled, disableGone, updateHealth } from './webhook-health.ts';

export interface Finished {
  readonly delivery: Claimed;
  /** Whether the event has a key value, which is erased with its last delivery. */
  readonly eventHasValue: boolean;
  readonly startedAt: number;
  readonly attempt: AttemptResult;
  /** When to retry; null if this was the last attempt. Ignored after a 410 that disables the webhook. */
  readonly retryAt: number | null;
}

export function retryTime(
  delivery: Claimed,
  attempt: AttemptResult,
  now: number,
  random01: number,
): number | null {
  return attempt.outcome === 'delivered'
    ? null
    : nextAttemptAt(delivery.attempts + 1, now, random01, attempt.retryAfterMs);
}

/**
 * Records attempts in one transaction. An attempt whose lease was lost is not recorded: the node that
 * holds the lease now records its own attempt.
 */
export function writeResults(
  storage: Storage,
  attempted: readonly Finished[],
  ids: MakeId,
  now: number,
): Promise<Disabled[]> {
  return storage.transaction(async (tx) => {
    await lockWebhooks(tx, attempted);
    // Before the updates, which release the lease.
    await insertAttempts(tx, attempted);
    const gone = await disableGone(tx, latestGone(attempted), ids, now);
    const finished = withoutRetriesOf(gone, attempted);
    await updateDelivered(tx, finished, now);
    await updateFailed(tx, finished, now);
    const failing = await updateHealth(
      tx,
      {
        delivered: webhooksWith(finished, 'delivered'),
        failed: webhooksWith(finished, 'failed'),
      },
      ids,
      now,
    );
    const over = finished.filter((each) => each.eventHasValue && each.retryAt === null);
    await eraseFinishedValues(tx, [...new Set(over.map(({ delivery }) => delivery.eventId))]);
    return [...gone, ...failing];
  });
}

/**
 * Deliveries whose 410 disabled the webhook are not retried. Any other 410 may be from the previous URL,
 * so its delivery is retried.
 */
function withoutRetriesOf(gone: readonly Disabled[], finished: readonly Finished[]): Finished[] {
  const ids = new Set(gone.map(({ webhookId }) => webhookId));
  return finished.map((each) =>
    each.attempt.outcome === 'gone' && ids.has(each.delivery.webhookId)
      ? { ...each, retryAt: null }
      : each,
  );
}

/** Locked first, as in the transaction that pauses a webhook, to avoid deadlocks. */
async function lockWebhooks(tx: Tx, finished: readonly Finished[]): Promise<void> {
  const ids = new Set(finished.map(({ delivery }) => delivery.webhookId));
  await lockForUpdate(
    tx,
    tx
      .selectFrom('webhooks')
      .select('id')
      .where('id', 'in', [...ids])
      .orderBy('id'),
    'webhooks',
  );
}

function insertAttempts(tx: Tx, finished: readonly Finished[]): Promise<void> {
  const rows = finished.map(({ delivery, startedAt, attempt }) => ({
    ...delivery,
    ...attempt,
    startedAt,
  }));
  return executeMany(tx, rows, (row) =>
    tx
      .insertInto('delivery_attempts')
      .columns([
        'delivery_id',
        'started_at',
        'duration_ms',
        'status_code',
        'error',
        'response_body',
      ])
      .expression((eb) =>
        eb
          .selectFrom('deliveries')
          .select([
            'id',
            sql<number>`cast(${row.startedAt} as bigint)`.as('started_at'),
            sql<number>`cast(${row.durationMs} as integer)`.as('duration_ms'),
            sql<number | null>`cast(${row.statusCode} as integer)`.as('status_code'),
            sql<string | null>`cast(${row.error} as text)`.as('error'),
            sql<string | null>`cast(${row.responseBody} as text)`.as('response_body'),
          ])
          .where('id', '=', row.id)
          .where('lease_token', '=', row.leaseToken),
      ),
  );
}

/** A delivery that arrived is recorded as delivered, even if it was held or cancelled meanwhile. */
function updateDelivered(tx: Tx, finished: readonly Finished[], now: number): Promise<void> {
  const rows = finished
    .filter(({ attempt }) => attempt.outcome === 'delivered')
    .map(({ delivery, attempt }) => ({ ...delivery, statusCode: attempt.statusCode }));
  return executeMany(tx, rows, (row) =>
    tx
      .updateTable('deliveries')
      .set({
        status: 'delivered',
        attempts: sql`attempts + 1`,
        lease_token: null,
        lease_until: null,
        last_error: null,
        last_status_code: row.statusCode,
        updated_at: now,
      })
      .where('id', '=', row.id)
      .where('lease_token', '=', row.leaseToken),
  );
}

/**
 * Sets `failed` only after the last attempt, and never on a cancelled delivery. A held delivery stays held
 * until its last attempt.
 */
function updateFailed(tx: Tx, finished: readonly Finished[], now: number): Promise<void> {
  const rows = finished
    .filter(({ attempt }) => attempt.outcome !== 'delivered')
    .map(({ delivery, attempt, retryAt }) => ({
      ...delivery,
      ...attempt,
      isLast: retryAt === null ? 1 : 0,
      dueAt: retryAt ?? now,
    }));
  return executeMany(tx, rows, (row) =>
    tx
      .updateTable('deliveries')
      .set({
        status: sql`case when ${row.isLast} = 1 and status <> 'cancelled' then 'failed' else status end`,
        lane: 1,
        attempts: sql`attempts + 1`,
        lease_token: null,
        lease_until: null,
        due_at: row.dueAt,
        last_status_code: row.statusCode,
        last_error: row.error,
        updated_at: now,
      })
      .where('id', '=', row.id)
      .where('lease_token', '=', row.leaseToken),
  );
}

/** Webhooks that responded with 410, and when the latest such attempt began. */
const latestGone = (finished: readonly Finished[]): Map<string, number> =>
  new Map(
    finished
      .filter(({ attempt }) => attempt.outcome === 'gone')
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .map(({ delivery, startedAt }) => [delivery.webhookId, startedAt]),
  );

const webhooksWith = (
  finished: readonly Finished[],
  outcome: 'delivered' | 'failed',
): Set<string> =>
  new Set(
    finished
      .filter(({ attempt }) => attempt.outcome === outcome)
      .map(({ delivery }) => delivery.webhookId),
  );
