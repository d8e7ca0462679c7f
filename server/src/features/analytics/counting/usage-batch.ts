import { NO_REFUSALS, type Refusals } from '../refusals/sampler.ts';
import type { FirstUse, KeyCounts, ProjectUse } from './open-counts.ts';
import type { PartUse } from './part-counts.ts';
import type { UsedAccessKey, UsedKey } from './usage-counters.ts';

/** A validation that reached a threshold of a limit, or left few credits. */
export type Crossing = {
  readonly keySeq: number;
  readonly at: number;
} & (
  | {
      readonly kind: 'limit';
      readonly counter: string;
      readonly name: string;
      readonly percent: number;
      readonly consumed: number;
      readonly limit: number;
      readonly windowEnds: number;
    }
  | {
      readonly kind: 'credits';
      readonly projectId: string;
      readonly ownerType: 'key' | 'customer';
      readonly owner: string;
      readonly isExhausted: boolean;
      readonly remaining: number;
      readonly startingBalance: number;
    }
);

/** Counts of one minute, taken out of the tally. A batch is written as a whole, and retried unchanged. */
export interface UsageBatch {
  readonly number: number;
  /** Start of the minute of all counts. */
  readonly minute: number;
  /** Packed entries, unsorted. */
  readonly keys: Uint8Array;
  readonly firstUses: readonly FirstUse[];
  /** seq, then the counts in the order of ACCESS_KEY_COLUMNS; sorted by seq. */
  readonly accessKeys: readonly (readonly number[])[];
  /** seq and time of the last use; sorted by seq. */
  readonly accessKeyLastUses: readonly (readonly number[])[];
  /** Sorted by id. */
  readonly projects: readonly ProjectUse[];
  readonly parts: readonly PartUse[];
  readonly refusals: Refusals;
  readonly crossings: readonly Crossing[];
}

/** Writes a batch. A second call for the same tally and batch number changes nothing. */
export type WriteUsage = (tallyId: string, batch: UsageBatch) => Promise<void>;

/** A batch, and the cached keys to update once their first use is written. */
export interface ClosedBatch {
  readonly batch: UsageBatch;
  /** In the order of `batch.firstUses`. */
  readonly firstUsed: readonly UsedKey[];
}

export function closeBatch(
  number: number,
  minute: number,
  { keys, firstUses, firstUsed, projects, parts }: KeyCounts,
  accessKeys: readonly UsedAccessKey[],
  refusals: Refusals = NO_REFUSALS,
  crossings: readonly Crossing[] = [],
): ClosedBatch {
  const accessRows: number[][] = [];
  const accessKeyLastUses: number[][] = [];
  // By seq, so that concurrent transactions lock rows in the same order.
  for (const key of accessKeys.toSorted((a, b) => a.seq - b.seq)) {
    key.dirty = false;
    const counts = key.takeCounts();
    accessKeyLastUses.push([key.seq, key.usedAt]);
    // A management call uses an access key too, but is not a validation.
    if (counts.some((count) => count > 0)) accessRows.push([key.seq, ...counts]);
  }
  const batch: UsageBatch = {
    number,
    minute,
    keys,
    firstUses,
    accessKeys: accessRows,
    accessKeyLastUses,
    projects,
    parts,
    refusals,
    crossings,
  };
  return { batch, firstUsed };
}
