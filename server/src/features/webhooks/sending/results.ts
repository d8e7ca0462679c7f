import { sql } from 'kysely';
import type { MakeId } from '../../../kernel/ids.ts';
import { lockForUpdate, type Storage, type Tx } from '../../../storage/index.ts';
import { eraseFinishedSecrets } from '../store.ts';
import type { AttemptResult } from '../transport/send.ts';
import { type Claimed, padded } from './claims.ts';
import { failureVerdict, nextAttemptAt } from './schedule.ts';
import { type Disabled, disableWebhook, failingAfterSilence } from './webhook-health.ts';

export interface Finished {
  readonly delivery: Claimed;
  /** The event still carries a key value, to be erased with its last delivery. */
  readonly carriesSecret: boolean;
  readonly startedAt: number;
  readonly attempt: AttemptResult;
  /** When to try again; null when this was the last attempt. */
  readonly retryAt: number | null;
}

/** `gone` ends the delivery at once: the receiver said that it will never answer again. */
export function retryTime(
  delivery: Claimed,
  attempt: AttemptResult,
  now: number,
  random01: number,
): number | null {
  return attempt.outcome === 'failed'
    ? nextAttemptAt(delivery.attempts + 1, now, random01, attempt.retryAfterMs)
    : null;
}

/**
 * Records attempts of which each still holds its lease; one whose lease another has is theirs to
 * record. All in one transaction, and one message for each kind of row.
 */
export function writeResults(
  storage: Storage,
  finished: readonly Finished[],
  ids: MakeId,
  now: number,
): Promise<Disabled[]> {
  return storage.transaction(async (tx) => {
    await lockWebhooks(tx, finished);
    // Before the updates, which give the lease back.
    await insertAttempts(storage, tx, finished);
    await updateDelivered(storage, tx, finished, now);
    await updateFailed(storage, tx, finished, now);
    const disabled = await noteHealth(tx, finished, ids, now);
    const over = finished.filter((each) => each.carriesSecret && each.retryAt === null);
    await eraseFinishedSecrets(tx, [...new Set(over.map(({ delivery }) => delivery.eventId))]);
    return disabled;
  });
}

/** First of all: whoever pauses a webhook has it before its deliveries too. */
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

async function insertAttempts(
  storage: Storage,
  tx: Tx,
  finished: readonly Finished[],
): Promise<void> {
  const statement = tx
    .insertInto('delivery_attempts')
    .columns(['delivery_id', 'started_at', 'duration_ms', 'status_code', 'error', 'response_body'])
    .expression((eb) =>
      eb
        .selectFrom('deliveries')
        .select([
          'id',
          sql<number>`cast(${0} as bigint)`.as('started_at'),
          sql<number>`cast(${0} as integer)`.as('duration_ms'),
          sql<number | null>`cast(${0} as integer)`.as('status_code'),
          sql<string | null>`cast(${''} as text)`.as('error'),
          sql<string | null>`cast(${''} as text)`.as('response_body'),
        ])
        .where('id', '=', '')
        .where('lease_token', '=', ''),
    )
    .compile();
  const rows = finished.map(({ delivery, startedAt, attempt }) => [
    startedAt,
    attempt.durationMs,
    attempt.statusCode,
    attempt.error,
    attempt.responseBody,
    delivery.id,
    delivery.leaseToken,
  ]);
  await storage.executeMany(tx, statement, rows);
}

/** Whatever became of it meanwhile: it has arrived. */
async function updateDelivered(
  storage: Storage,
  tx: Tx,
  finished: readonly Finished[],
  now: number,
): Promise<void> {
  const statement = tx
    .updateTable('deliveries')
    .set({
      status: sql`'delivered'`,
      attempts: sql`attempts + 1`,
      lease_token: sql`null`,
      lease_until: sql`null`,
      last_error: sql`null`,
      last_status_code: 0,
      updated_at: 0,
    })
    .where('id', '=', '')
    .where('lease_token', '=', '')
    .compile();
  const rows = finished
    .filter(({ attempt }) => attempt.outcome === 'delivered')
    .map(({ delivery, attempt }) => [attempt.statusCode, now, delivery.id, delivery.leaseToken]);
  await storage.executeMany(tx, statement, rows);
}

/** One that was held or cancelled while it was under way stays so; only the last attempt ends it. */
async function updateFailed(
  storage: Storage,
  tx: Tx,
  finished: readonly Finished[],
  now: number,
): Promise<void> {
  const statement = tx
    .updateTable('deliveries')
    .set({
      status: sql`case when ${0} = 1 and status <> 'cancelled' then 'failed' else status end`,
      lane: sql`1`,
      attempts: sql`attempts + 1`,
      lease_token: sql`null`,
      lease_until: sql`null`,
      due_at: 0,
      last_status_code: 0,
      last_error: '',
      updated_at: 0,
    })
    .where('id', '=', '')
    .where('lease_token', '=', '')
    .compile();
  const rows = finished
    .filter(({ attempt }) => attempt.outcome !== 'delivered')
    .map(({ delivery, attempt, retryAt }) => [
      retryAt === null ? 1 : 0,
      retryAt ?? now,
      attempt.statusCode,
      attempt.error,
      now,
      delivery.id,
      delivery.leaseToken,
    ]);
  await storage.executeMany(tx, statement, rows);
}

/** Remembers since when a webhook does nothing but fail, and disables it when that lasts. */
async function noteHealth(
  tx: Tx,
  finished: readonly Finished[],
  ids: MakeId,
  now: number,
): Promise<Disabled[]> {
  const well = webhooksWith(finished, 'delivered');
  const failing = webhooksWith(finished, 'failed').difference(well);
  const gone = webhooksWith(finished, 'gone');
  if (well.size > 0)
    await tx
      .updateTable('webhooks')
      .set({ failing_since: null })
      .where('id', 'in', padded([...well]))
      .where('failing_since', 'is not', null)
      .execute();
  const disabled: (Disabled | null)[] = [];
  for (const id of gone)
    disabled.push(
      await disableWebhook(tx, id, 'the endpoint answered 410', { now, auditId: ids('aud') }),
    );
  for (const id of await failingTooLong(tx, failing, now))
    disabled.push(
      await disableWebhook(tx, id, 'five days of nothing but failure', {
        now,
        auditId: ids('aud'),
      }),
    );
  return disabled.filter((each) => each !== null);
}

async function failingTooLong(tx: Tx, failing: ReadonlySet<string>, now: number) {
  if (failing.size === 0) return [];
  const webhookIds = padded([...failing]);
  await tx
    .updateTable('webhooks')
    .set({ failing_since: now })
    .where('id', 'in', webhookIds)
    .where('failing_since', 'is', null)
    .execute();
  const rows = await tx
    .selectFrom('webhooks')
    .select(['id', 'failing_since'])
    .where('id', 'in', webhookIds)
    .execute();
  const tooLong: string[] = [];
  for (const { id, failing_since } of rows) {
    if (failureVerdict({ failingSince: failing_since, now }) === 'keep') continue;
    const since = await failingAfterSilence(tx, id, failing_since!);
    if (since === null) tooLong.push(id);
    else
      await tx.updateTable('webhooks').set({ failing_since: since }).where('id', '=', id).execute();
  }
  return tooLong;
}

const webhooksWith = (
  finished: readonly Finished[],
  outcome: AttemptResult['outcome'],
): Set<string> =>
  new Set(
    finished
      .filter(({ attempt }) => attempt.outcome === outcome)
      .map(({ delivery }) => delivery.webhookId),
  );
