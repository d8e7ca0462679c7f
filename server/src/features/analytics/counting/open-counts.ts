import type { KeyOutcome } from '@keyward/rules/outcomes.ts';
import { packEntries, setExtraCost, WIDTH } from '../journal/packed-entries.ts';
import { COLUMN_INDEX, KEY_COLUMNS } from '../outcomes.ts';
import { PartCounts, type PartUse, type UsePart } from './part-counts.ts';
import type { UsedKey } from './usage-counters.ts';

/** Maximum keys and parts of their counts in a batch: packing and sending a full batch blocks the event loop for a few milliseconds. */
export const KEYS_PER_BATCH = 8_000;

export interface FirstUse {
  readonly seq: number;
  readonly usedAt: number;
}

export interface ProjectUse {
  readonly projectId: string;
  /** In the order of KEY_COLUMNS. */
  readonly counts: number[];
  /** The first and the last valid use that cost something; null if there was none. */
  readonly firstUsedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** Some of the counts, taken out together. */
export interface KeyCounts {
  readonly keys: Uint8Array;
  readonly projects: readonly ProjectUse[];
  /** Of keys and projects, by resource and unit. */
  readonly parts: readonly PartUse[];
  readonly firstUses: readonly FirstUse[];
  /** The cached keys of `firstUses`, in the same order. */
  readonly firstUsed: readonly UsedKey[];
}

/** Uses of one key. Times are milliseconds within the minute, of valid uses that cost something. */
interface KeyUse {
  readonly key: UsedKey;
  /** In the order of KEY_COLUMNS. */
  readonly counts: number[];
  firstMs: number | null;
  lastMs: number | null;
  /** null: of a project without resources and units. */
  parts: PartCounts | null;
}

/** The uses counted within one minute and not yet taken out. */
export class OpenCounts {
  #uses = new Map<UsedKey, KeyUse>();
  #parts = 0;

  /** Number of keys and of parts of their counts. */
  get size(): number {
    return this.#uses.size + this.#parts;
  }

  /**
   * `cost` is the sum for all `count` uses, as the units of `part` are. `isUse` false: they were only checks, so they are
   * neither first nor last use.
   */
  count(
    key: UsedKey,
    outcome: KeyOutcome,
    ms: number,
    count = 1,
    cost = count,
    part: UsePart | null = null,
    isUse = cost !== 0,
  ): void {
    let use = this.#uses.get(key);
    if (use === undefined) {
      use = { key, counts: noCounts(), firstMs: null, lastMs: null, parts: null };
      this.#uses.set(key, use);
    }
    use.counts[COLUMN_INDEX[outcome]]! += count;
    if (part !== null) {
      use.parts ??= new PartCounts();
      this.#parts += use.parts.count(part, outcome, count, cost);
    }
    if (outcome !== 'valid') return;
    if (cost !== count) use.counts[EXTRA_COST]! += cost - count;
    if (!isUse) return;
    use.firstMs ??= ms;
    use.lastMs = ms;
  }

  /** Takes out everything counted so far: one part, or several after an outage of the database. */
  take(minute: number): [KeyCounts, ...KeyCounts[]] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    this.#parts = 0;
    const taken: KeyCounts[] = [];
    for (let start = 0; start < uses.length; ) {
      const end = endOfBatch(uses, start);
      taken.push(countsOf(uses.slice(start, end), minute));
      start = end;
    }
    const [first = countsOf([], minute), ...more] = taken;
    return [first, ...more];
  }
}

const EXTRA_COST = COLUMN_INDEX.extra_cost;

const noCounts = (): number[] => KEY_COLUMNS.map(() => 0);

/** A batch has at least one key, whose parts are bounded by its project. */
function endOfBatch(uses: readonly KeyUse[], start: number): number {
  let size = 0;
  let end = start;
  while (end < uses.length) {
    size += 1 + (uses[end]!.parts?.size ?? 0);
    if (size > KEYS_PER_BATCH && end > start) break;
    end++;
  }
  return end;
}

function countsOf(uses: readonly KeyUse[], minute: number): KeyCounts {
  const entries = new Uint32Array(uses.length * WIDTH);
  const projects = new Map<string, MutableProjectUse>();
  const firsts: KeyUse[] = [];
  let at = 0;
  for (const use of uses) {
    const { key, counts, firstMs, lastMs } = use;
    entries[at] = key.seq;
    entries[at + 1] = lastMs === null ? 0 : lastMs + 1;
    for (let n = 0; n < EXTRA_COST; n++) entries[at + 2 + n] = counts[n]!;
    setExtraCost(entries, at, counts[EXTRA_COST]!);
    at += WIDTH;
    addToProject(projects, use, minute);
    if (firstMs !== null && key.firstUsedAt === null) firsts.push(use);
  }
  return {
    keys: packEntries(entries),
    // Sorted by id, so that locks are taken in order.
    projects: [...projects.values()].sort((a, b) => (a.projectId < b.projectId ? -1 : 1)),
    parts: partsOf(uses),
    firstUses: firsts.map(({ key, firstMs }) => ({ seq: key.seq, usedAt: minute + firstMs! })),
    firstUsed: firsts.map(({ key }) => key),
  };
}

/** The parts of keys, and their sums for each project. */
function partsOf(uses: readonly KeyUse[]): PartUse[] {
  const parts: PartUse[] = [];
  const projects = new Map<string, PartCounts>();
  for (const { key, parts: ofKey } of uses) {
    if (ofKey === null) continue;
    const { id } = key.project;
    parts.push(...ofKey.uses(id, key.seq));
    const sums = projects.get(id) ?? new PartCounts();
    projects.set(id, sums);
    sums.addAll(ofKey);
  }
  for (const [id, sums] of projects) parts.push(...sums.uses(id, null));
  return parts;
}

type MutableProjectUse = { -readonly [Field in keyof ProjectUse]: ProjectUse[Field] };

function addToProject(
  projects: Map<string, MutableProjectUse>,
  { key, counts, firstMs, lastMs }: KeyUse,
  minute: number,
): void {
  const { id } = key.project;
  let use = projects.get(id);
  if (use === undefined) {
    use = { projectId: id, counts: counts.map(() => 0), firstUsedAt: null, lastUsedAt: null };
    projects.set(id, use);
  }
  for (let n = 0; n < counts.length; n++) use.counts[n]! += counts[n]!;
  if (firstMs === null || lastMs === null) return;
  use.firstUsedAt = Math.min(use.firstUsedAt ?? Number.POSITIVE_INFINITY, minute + firstMs);
  use.lastUsedAt = Math.max(use.lastUsedAt ?? 0, minute + lastMs);
}
