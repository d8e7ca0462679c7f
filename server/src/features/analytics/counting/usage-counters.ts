import type { Outcome } from '@keyward/rules/outcomes.ts';
import { ACCESS_KEY_COLUMNS, COLUMN_INDEX } from '../outcomes.ts';

/** A cached key, as far as the usage tally needs it. */
export interface UsedKey {
  readonly seq: number;
  readonly project: { readonly id: string };
  /** The patterns by which the project counts usage; null: it declares none. */
  readonly resources?: readonly string[] | null;
  /** Set by the tally when the first use has been written. */
  firstUsedAt: number | null;
}

/** Parsed lists of names, so that the keys of a project share one. Cleared when there are many. */
const parsed = new Map<string, readonly string[]>();
const PARSED_MAX = 1_000;

/** The `resources` or `units` of a project, as they are stored. */
export function declaredBy(text: string | null): readonly string[] | null {
  if (text === null) return null;
  let resources = parsed.get(text);
  if (resources === undefined) {
    if (parsed.size >= PARSED_MAX) parsed.clear();
    resources = JSON.parse(text) as readonly string[];
    parsed.set(text, resources);
  }
  return resources;
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
