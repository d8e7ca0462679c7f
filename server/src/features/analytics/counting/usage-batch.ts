import type { FirstUse, KeyCounts, ProjectUse } from './open-counts.ts';
import type { UsedAccessKey, UsedKey } from './usage-counters.ts';

/** What was counted within one minute, taken out of the keys: written whole, or again as it is. */
export interface UsageBatch {
  readonly number: number;
  /** Start of the minute that all of it falls in. */
  readonly minute: number;
  /** Packed entries, in no order. */
  readonly keys: Uint8Array;
  readonly firstUses: readonly FirstUse[];
  /** seq, then the counts in the order of ACCESS_KEY_OUTCOMES. */
  readonly accessKeys: readonly (readonly number[])[];
  /** usedAt, seq, usedAt: as the statement that records them wants it. */
  readonly accessKeyLastUses: readonly (readonly number[])[];
  readonly projects: readonly ProjectUse[];
}

/** A batch, and the keys in memory that are to know of their first use once it is written. */
export interface CutBatch {
  readonly batch: UsageBatch;
  /** In the order of the batch's first uses. */
  readonly firstUsed: readonly UsedKey[];
}

export function cutBatch(
  number: number,
  minute: number,
  { keys, firstUses, firstUsed, projects }: KeyCounts,
  accessKeys: readonly UsedAccessKey[],
): CutBatch {
  const accessRows: number[][] = [];
  const accessKeyLastUses: number[][] = [];
  for (const key of accessKeys) {
    key.dirty = false;
    const counts = key.takeCounts();
    accessKeyLastUses.push([key.usedAt, key.seq, key.usedAt]);
    // A management call uses an access key too, but is no validation.
    if (counts.some((count) => count > 0)) accessRows.push([key.seq, ...counts]);
  }
  // By seq, so that locks are taken in order.
  const batch: UsageBatch = {
    number,
    minute,
    keys,
    firstUses,
    accessKeys: accessRows.sort((a, b) => a[0]! - b[0]!),
    accessKeyLastUses: accessKeyLastUses.sort((a, b) => a[1]! - b[1]!),
    projects,
  };
  return { batch, firstUsed };
}
