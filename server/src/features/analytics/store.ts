import { sql } from 'kysely';
import type { MakeId } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { chunksOf, type Storage, type Tx } from '../../storage/index.ts';
import type { Outbox, OutgoingEvent } from '../changes/index.ts';
import { addMinute } from './buckets/add-counts.ts';
import { recordAccessKeyUses, recordLastUses } from './buckets/last-uses.ts';
import { addParts } from './buckets/parts.ts';
import type { FirstUse, ProjectUse } from './counting/open-counts.ts';
import type { Crossing, UsageBatch, WriteUsage } from './counting/usage-batch.ts';
import { appendToJournal } from './journal/journal.ts';
import { countRows, lastUseRows, sumOf } from './journal/key-entries.ts';
import { packedCount } from './journal/packed-entries.ts';
import { writeRefusals } from './refusals/store.ts';
import {
  ACCESS_KEY_USAGE,
  floorTo,
  HOUR_MS,
  KEY_USAGE,
  MINUTE_MS,
  PROJECT_USAGE,
} from './usage-kinds.ts';

/** Builds the `api-key.firstUsed` events of keys. Implemented by features/api-keys. */
export type FirstUseEvents = (
  tx: Tx,
  keySeqs: readonly number[],
) => Promise<readonly OutgoingEvent[]>;

/** Writes the notices of crossings, and returns their events. Implemented by features/signals. */
export type RecordCrossings = (
  tx: Tx,
  crossings: readonly Crossing[],
  now: number,
) => Promise<readonly OutgoingEvent[]>;

/**
 * Larger batches go to the journal. Adding 500 keys directly, four times a second, takes about half a per cent
 * of a core.
 */
const DIRECT_KEYS_MAX = 500;

/**
 * Writes batches to the database, each in one transaction under its number. If a batch was committed but the
 * response was lost, the retry finds that its number is already written.
 */
export function usageWriter(parts: {
  storage: Storage;
  outbox: Outbox;
  firstUseEvents: FirstUseEvents;
  recordCrossings?: RecordCrossings;
  ids: MakeId;
  clock: Clock;
  directKeysMax?: number;
}): WriteUsage {
  const {
    storage,
    outbox,
    firstUseEvents,
    recordCrossings,
    ids,
    clock,
    directKeysMax = DIRECT_KEYS_MAX,
  } = parts;

  return async (writerId, batch) => {
    const webhookIds = await storage.transaction(async (tx) => {
      const now = clock();
      if (!(await claim(tx, writerId, batch.number, now))) return [];
      const minute = minuteOf(batch, now);
      const firstUsed = await recordFirstUses(tx, batch.firstUses);
      const notified = await emitEvents(tx, firstUsed, batch.crossings, now);
      await recordAccessKeyUses(tx, batch.accessKeyLastUses);
      if (packedCount(batch.keys) > directKeysMax) await appendToJournal(tx, minute, batch.keys);
      else await addKeys(storage, tx, batch, minute);
      await addMinute(storage, tx, ACCESS_KEY_USAGE, minute, batch.accessKeys);
      await addMinute(storage, tx, PROJECT_USAGE, minute, await recordProjects(tx, batch));
      await addParts(storage, tx, minute, batch.parts);
      await writeRefusals(tx, batch.refusals, ids);
      return notified;
    });
    outbox.wake(webhookIds);
  };

  /** Called in the transaction that records their causes, so that each event is emitted exactly once. */
  async function emitEvents(
    tx: Tx,
    firstUsed: readonly number[],
    crossings: readonly Crossing[],
    now: number,
  ): Promise<readonly string[]> {
    const events: OutgoingEvent[] = [];
    if (firstUsed.length > 0) events.push(...(await firstUseEvents(tx, firstUsed)));
    if (crossings.length > 0 && recordCrossings)
      events.push(...(await recordCrossings(tx, crossings, now)));
    return events.length === 0 ? [] : outbox.write(tx, events, now);
  }
}

/**
 * Usage older than this is counted in the minute in which it is written: the `usage.period` event of its own
 * hour may already have been sent.
 */
const LATE_MS_MAX = 12 * HOUR_MS;

const minuteOf = ({ minute }: UsageBatch, now: number): number =>
  minute < now - LATE_MS_MAX - MINUTE_MS ? floorTo(now, MINUTE_MS) : minute;

/** False if the batch is already written. */
async function claim(tx: Tx, writerId: string, batch: number, now: number): Promise<boolean> {
  const claimed = await tx
    .insertInto('usage_flushes')
    .values({ node_id: writerId, batch, flushed_at: now })
    .onConflict((conflict) =>
      conflict
        .column('node_id')
        .doUpdateSet({ batch, flushed_at: now })
        .where('usage_flushes.batch', '<', batch),
    )
    .returning('batch')
    .execute();
  return claimed.length > 0;
}

async function addKeys(storage: Storage, tx: Tx, batch: UsageBatch, minute: number): Promise<void> {
  const entries = sumOf([batch.keys]);
  await recordLastUses(tx, lastUseRows(entries, batch.minute));
  await addMinute(storage, tx, KEY_USAGE, minute, countRows(entries));
}

/**
 * Records first uses. Returns the keys whose first use was not recorded yet: another node may have recorded
 * some. Inserts in the order of keys, so that two nodes cannot wait for each other.
 */
async function recordFirstUses(tx: Tx, candidates: readonly FirstUse[]): Promise<number[]> {
  const recorded: number[] = [];
  const sorted = candidates.toSorted((a, b) => a.seq - b.seq);
  for (const chunk of chunksOf(sorted)) {
    const uses = chunk.map(
      ({ seq, usedAt }) => sql`(cast(${seq} as bigint), cast(${usedAt} as bigint))`,
    );
    // Joined with api_keys to skip keys that were erased since their use.
    const { rows } = await sql<{ key_seq: number }>`
      with uses (seq, used_at) as (values ${sql.join(uses)})
      insert into key_usage (key_seq, first_used_at, last_used_at)
      select api_keys.seq, uses.used_at, uses.used_at
      from uses join api_keys on api_keys.seq = uses.seq
      where true order by api_keys.seq
      on conflict (key_seq) do nothing
      returning key_seq`.execute(tx);
    for (const { key_seq } of rows) recorded.push(key_seq);
  }
  return recorded;
}

/** Records first and last use of each project. Returns seq and counts, sorted by seq. */
async function recordProjects(tx: Tx, { projects }: UsageBatch): Promise<number[][]> {
  // Sent together, and run in the order of ids, so that locks are taken in the same order.
  const rows = await Promise.all(projects.map((use) => recordProject(tx, use)));
  return rows.sort((a, b) => a[0]! - b[0]!);
}

async function recordProject(tx: Tx, use: ProjectUse): Promise<number[]> {
  const { projectId, counts, firstUsedAt, lastUsedAt } = use;
  const { seq } = await tx
    .insertInto('project_usage')
    .values({ project_id: projectId, first_used_at: firstUsedAt, last_used_at: lastUsedAt })
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet({
        first_used_at: sql`coalesce(project_usage.first_used_at, excluded.first_used_at)`,
        last_used_at: sql`case
          when project_usage.last_used_at is null
            or excluded.last_used_at > project_usage.last_used_at
          then excluded.last_used_at else project_usage.last_used_at end`,
      }),
    )
    .returning('seq')
    .executeTakeFirstOrThrow();
  return [seq, ...counts];
}
