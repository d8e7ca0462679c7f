import { sql } from 'kysely';
import type { Clock } from '../../kernel/clock.ts';
import type { Storage, Tx } from '../../storage/index.ts';
import type { Outbox, OutgoingEvent } from '../changes/index.ts';
import { addMinute } from './buckets/add-counts.ts';
import { recordAccessKeyUses, recordLastUses } from './buckets/last-uses.ts';
import type { FirstUse, ProjectUse } from './counting/open-counts.ts';
import type { UsageBatch } from './counting/usage-batch.ts';
import type { WriteUsage } from './counting/usage-tally.ts';
import { appendToJournal } from './journal/journal.ts';
import { journalScript } from './journal/journal-script.ts';
import { countRows, lastUseRows, sumOf } from './journal/key-entries.ts';
import { packedCount } from './journal/packed-entries.ts';
import { ACCESS_KEYS, KEYS, PROJECTS } from './usage-kinds.ts';

export interface BatchWriter {
  readonly storage: Storage;
  /** Of the tally that cut the batch, never used again. */
  readonly nodeId: string;
  /** Larger batches go into the journal. */
  readonly directKeysMax: number;
  onFirstUses(tx: Tx, keySeqs: readonly number[]): Promise<readonly string[]>;
}

/**
 * All of a batch in one transaction, under its number: a batch that was committed although its
 * answer was lost is found written when it is tried again. Answers the webhooks to wake.
 */
export async function writeBatch(
  { storage, nodeId, directKeysMax, onFirstUses }: BatchWriter,
  batch: UsageBatch,
  now: number,
): Promise<readonly string[]> {
  const { script } = storage;
  const isJournalled = packedCount(batch.keys) > directKeysMax;
  if (script && isJournalled && batch.firstUses.length === 0)
    if (await script(journalScript(storage, { nodeId, batch }, now))) return [];
  return storage.transaction(async (tx) => {
    if (!(await claim(tx, nodeId, batch.number, now))) return [];
    const firsts = await recordFirstUses(tx, batch.firstUses);
    const woken = firsts.length === 0 ? [] : await onFirstUses(tx, firsts);
    await recordAccessKeyUses(storage, tx, batch.accessKeyLastUses);
    if (isJournalled) {
      await appendToJournal(tx, batch.minute, batch.keys);
    } else {
      const entries = sumOf([batch.keys]);
      await recordLastUses(storage, tx, lastUseRows(entries, batch.minute));
      await addMinute(storage, tx, KEYS, batch.minute, countRows(entries));
    }
    await addMinute(storage, tx, ACCESS_KEYS, batch.minute, batch.accessKeys);
    const projects = await recordProjects(tx, batch.projects);
    await addMinute(storage, tx, PROJECTS, batch.minute, projects);
    return woken;
  });
}

/** False: this batch is written already. */
async function claim(tx: Tx, nodeId: string, batch: number, now: number): Promise<boolean> {
  const claimed = await tx
    .insertInto('usage_flushes')
    .values({ node_id: nodeId, batch, flushed_at: now })
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

/** Keys in one statement; far below what either database takes as parameters. */
const CHUNK = 500;

/**
 * Those that this flush was the first to record: another node may have been quicker with some. In
 * the order of keys, so that two nodes that tell of the same ones never wait for each other.
 */
async function recordFirstUses(tx: Tx, candidates: readonly FirstUse[]): Promise<number[]> {
  const recorded: number[] = [];
  const sorted = candidates.toSorted((a, b) => a.seq - b.seq);
  for (let start = 0; start < sorted.length; start += CHUNK) {
    const uses = sorted
      .slice(start, start + CHUNK)
      .map(({ seq, usedSince }) => sql`(cast(${seq} as bigint), cast(${usedSince} as bigint))`);
    // Joined with api_keys, so that a key erased since its use is passed over.
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

/** First and last use of each project; answers seq and counts, by seq. */
async function recordProjects(tx: Tx, projects: readonly ProjectUse[]): Promise<number[][]> {
  const rows: number[][] = [];
  const sorted = projects.toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1));
  for (const { projectId, counts, usedSince, usedAt } of sorted) {
    const { seq } = await tx
      .insertInto('project_usage')
      .values({ project_id: projectId, first_used_at: usedSince, last_used_at: usedAt })
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
    rows.push([seq, ...counts]);
  }
  return rows.sort((a, b) => a[0]! - b[0]!);
}

/** The events of keys used for the first time, as features/api-keys shows such keys. */
export type DescribeFirstUses = (
  tx: Tx,
  keySeqs: readonly number[],
) => Promise<readonly OutgoingEvent[]>;

/** Keys in a batch that are added to their minutes at once: what half a per cent of a core can do. */
const DIRECT_KEYS_MAX = 500;

/** Writes batches into the database, whichever tally cut them, and tells of first uses. */
export function usageWriter(parts: {
  storage: Storage;
  outbox: Outbox;
  describe: DescribeFirstUses;
  clock: Clock;
  directKeysMax?: number;
}): WriteUsage {
  const { storage, outbox, describe, clock, directKeysMax = DIRECT_KEYS_MAX } = parts;

  /** In the transaction that records them: whoever recorded a first use tells of it, once. */
  async function onFirstUses(tx: Tx, keySeqs: readonly number[]): Promise<readonly string[]> {
    const events = await describe(tx, keySeqs);
    return events.length === 0 ? [] : outbox.write(tx, events, clock());
  }

  return async (nodeId: string, batch: UsageBatch) => {
    const writer = { storage, nodeId, directKeysMax, onFirstUses };
    outbox.wake(await writeBatch(writer, batch, clock()));
  };
}
