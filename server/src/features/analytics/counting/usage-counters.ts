import type { Outcome } from '@keyward/rules/outcomes.ts';
import { ACCESS_KEY_COLUMNS, COLUMN_INDEX } from '../outcomes.ts';

/** A cached key, as far as the usage tally needs it. */
export interface UsedKey {
  readonly seq: number;
  readonly project: { readonly id: string };
  /** Set by the tally when the first use has been written. */
  firstUsedAt: number | null;
}

const noCounts = (): number[] => ACCESS_KEY_COLUMNS.map(() => 0);

/** A cached access key and its uses since the last flush. */
export abstract class UsedAccessKey {
  abstract readonly seq: number;
  usedAt = 0;
  /** Queued for the next flush. */
  dirty = false;
  #counts = noCounts();

  countUse(outcome: Outcome, count = 1): void {
    this.#counts[COLUMN_INDEX[outcome]]! += count;
  }

  /** Adds the cost of valid uses minus their number; negative if some cost nothing. */
  countExtraCost(cost: number): void {
    this.#counts[COLUMN_INDEX.extra_cost]! += cost;
  }

  /** Takes the counts out, in the order of ACCESS_KEY_COLUMNS. */
  takeCounts(): number[] {
    const counts = this.#counts;
    this.#counts = noCounts();
    return counts;
  }
}
