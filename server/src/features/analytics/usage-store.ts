import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Storage, Tx } from '../../storage/index.ts';
import { addMinute } from './add-counts.ts';
import { appendToJournal } from './journal.ts';
import { countRows, entryCount, lastUseRows } from './key-entries.ts';
import { recordAccessKeyUses, recordLastUses } from './last-uses.ts';
import { ACCESS_KEYS, KEYS, PROJECTS } from './subjects.ts';
import type { FirstUse, ProjectUse, UsageBatch } from './usage-batch.ts';

export interface BatchWriter {
  readonly storage: Storage;
  /** Of this process, never used again. */
  readonly nodeId: string;
  /** Larger batches go into the journal. */
  readonly directKeysMax: number;
  onFirstUses(tx: Tx, keySeqs: readonly number[]): Promise<readonly string[]>;
}

/**
 * All of a batch in one transaction, under its number: a batch that was committed although its
 * answer was lost is found written when it is tried again. Answers the webhooks to wake.
 */
export function writeBatch(
  { storage, nodeId, directKeysMax, onFirstUses }: BatchWriter,
  batch: UsageBatch,
  now: number,
): Promise<readonly string[]> {
  return storage.transaction(async (tx) => {
    if (!(await claim(tx, nodeId, batch.number, now))) return [];
    const firsts = await recordFirstUses(tx, batch.firstUses);
    const woken = firsts.length === 0 ? [] : await onFirstUses(tx, firsts);
    await recordAccessKeyUses(storage, tx, batch.accessKeyLastUses);
    if (entryCount(batch.keys) > directKeysMax) {
      await appendToJournal(tx, batch.minute, batch.keys);
    } else {
      await recordLastUses(storage, tx, lastUseRows(batch.keys, batch.minute));
      await addMinute(storage, tx, KEYS, batch.minute, countRows(batch.keys));
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

/** Those that this flush was the first to record: another node may have been quicker with some. */
async function recordFirstUses(tx: Tx, candidates: readonly FirstUse[]): Promise<number[]> {
  const recorded: number[] = [];
  for (const [usedSince, group] of Map.groupBy(candidates, (use) => use.usedSince)) {
    const seqs = group.map((use) => use.seq).sort((a, b) => a - b);
    for (let start = 0; start < seqs.length; start += CHUNK) {
      const rows = await tx
        .insertInto('key_usage')
        .columns(['key_seq', 'first_used_at', 'last_used_at'])
        .expression((eb) =>
          usageRows(eb, usedSince).where('seq', 'in', seqs.slice(start, start + CHUNK)),
        )
        .onConflict((conflict) => conflict.column('key_seq').doNothing())
        .returning('key_seq')
        .execute();
      for (const row of rows) recorded.push(row.key_seq);
    }
  }
  return recorded;
}

/** Selected from api_keys, so that a key erased since its use is passed over. */
const usageRows = (eb: ExpressionBuilder<Database, 'key_usage'>, at: number) =>
  eb
    .selectFrom('api_keys')
    .select([
      'seq',
      sql<number>`cast(${at} as bigint)`.as('first_used_at'),
      sql<number>`cast(${at} as bigint)`.as('last_used_at'),
    ]);

/** First and last use of each project; answers seq and counts, by seq. */
async function recordProjects(tx: Tx, projects: readonly ProjectUse[]): Promise<number[][]> {
  const rows: number[][] = [];
  for (const { projectId, counts, usedSince, usedAt } of projects) {
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
