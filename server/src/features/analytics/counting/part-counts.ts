import { amountOf, type Cost, CREDITS, REQUESTS } from '@keyward/rules/cost.ts';
import type { KeyOutcome } from '@keyward/rules/outcomes.ts';
import { usageResource } from '@keyward/rules/usage-resources.ts';
import { COLUMN_INDEX, KEY_COLUMNS } from '../outcomes.ts';

/** What a validation is also counted as, besides its key. */
export interface UsePart {
  /** A pattern of the project, or `other`; empty: it declares none. */
  readonly resource: string;
  /** What the request costs of each unit; of `requests`, minus what it costs in credits. */
  readonly units: ReadonlyMap<string, number> | null;
}

/** The units of a cost, as a part counts them; null: the cost is one number. */
export function unitsOf(cost: Cost): UsePart['units'] {
  if (typeof cost === 'number') return null;
  const units = new Map(cost);
  units.delete(CREDITS);
  units.set(REQUESTS, amountOf(cost, REQUESTS) - amountOf(cost, CREDITS));
  return units;
}

/** null: the project of the key declares no resources, and the request names no units. */
export function partOfUse(
  patterns: readonly string[] | null | undefined,
  resource: string | null,
  units: UsePart['units'],
): UsePart | null {
  const isByResource = patterns !== null && patterns !== undefined;
  if (!isByResource && units === null) return null;
  return { resource: isByResource ? usageResource(patterns, resource) : '', units };
}

/** Counts of a key or, if `keySeq` is null, of all keys of a project. */
export interface PartUse {
  readonly projectId: string;
  readonly keySeq: number | null;
  readonly resource: string;
  /** Empty: `counts` are validations in the order of KEY_COLUMNS. Otherwise they are one sum. */
  readonly unit: string;
  readonly counts: readonly number[];
}

/** Counts by resource and unit, of one key or of one project. */
export class PartCounts {
  /** By resource, then by unit. */
  readonly #resources = new Map<string, Map<string, number[]>>();
  #size = 0;

  /** Number of counted parts. */
  get size(): number {
    return this.#size;
  }

  /** `cost` is the sum in credits of all `count` uses, as that of `part.units` is. Returns how many parts are new. */
  count(part: UsePart, outcome: KeyOutcome, count: number, cost: number): number {
    const { resource, units } = part;
    const isValid = outcome === 'valid';
    const before = this.#size;
    if (resource !== '') {
      const counts = KEY_COLUMNS.map(() => 0);
      counts[COLUMN_INDEX[outcome]] = count;
      if (isValid) counts[COLUMN_INDEX.extra_cost] = cost - count;
      this.#add(resource, '', counts);
    }
    if (isValid && units !== null)
      for (const [unit, amount] of units) if (amount !== 0) this.#add(resource, unit, [amount]);
    return this.#size - before;
  }

  addAll(other: PartCounts): void {
    for (const [resource, units] of other.#resources)
      for (const [unit, counts] of units) this.#add(resource, unit, counts);
  }

  *uses(projectId: string, keySeq: number | null): Generator<PartUse> {
    for (const [resource, units] of this.#resources)
      for (const [unit, counts] of units) yield { projectId, keySeq, resource, unit, counts };
  }

  #add(resource: string, unit: string, counts: readonly number[]): void {
    let units = this.#resources.get(resource);
    if (units === undefined) {
      units = new Map();
      this.#resources.set(resource, units);
    }
    const sums = units.get(unit);
    if (sums === undefined) {
      units.set(unit, [...counts]);
      this.#size++;
    } else for (const [n, count] of counts.entries()) sums[n]! += count;
  }
}
