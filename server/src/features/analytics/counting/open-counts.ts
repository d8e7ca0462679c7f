import type { KeyOutcome } from '@keyward/rules/outcomes.ts';
import { packEntries, setExtraCost, WIDTH } from '../journal/packed-entries.ts';
import { COLUMN_INDEX, KEY_COLUMNS } from '../outcomes.ts';
import type { UsedKey } from './usage-counters.ts';

/** Maximum keys in a batch: packing and sending a full batch blocks the event loop for a few milliseconds. */
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
}

/** The uses counted within one minute and not yet taken out. */
export class OpenCounts {
  #uses = new Map<UsedKey, KeyUse>();

  /** Number of keys. */
  get size(): number {
    return this.#uses.size;
  }

  /** `cost` is the sum for all `count` uses. A use of cost 0 is a check: it is neither first nor last use. */
  count(key: UsedKey, outcome: KeyOutcome, ms: number, count = 1, cost = count): void {
    let use = this.#uses.get(key);
    if (use === undefined) {
      use = { key, counts: noCounts(), firstMs: null, lastMs: null };
      this.#uses.set(key, use);
    }
    use.counts[COLUMN_INDEX[outcome]]! += count;
    if (outcome !== 'valid') return;
    if (cost !== count) use.counts[EXTRA_COST]! += cost - count;
    if (cost === 0) return;
    use.firstMs ??= ms;
    use.lastMs = ms;
  }

  /** Takes out everything counted so far: one part, or several after an outage of the database. */
  take(minute: number): [KeyCounts, ...KeyCounts[]] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    const partAt = (start: number) => partOf(uses.slice(start, start + KEYS_PER_BATCH), minute);
    const parts: [KeyCounts, ...KeyCounts[]] = [partAt(0)];
    for (let start = KEYS_PER_BATCH; start < uses.length; start += KEYS_PER_BATCH)
      parts.push(partAt(start));
    return parts;
  }
}

const EXTRA_COST = COLUMN_INDEX.extra_cost;

const noCounts = (): number[] => KEY_COLUMNS.map(() => 0);

function partOf(uses: readonly KeyUse[], minute: number): KeyCounts {
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
    firstUses: firsts.map(({ key, firstMs }) => ({ seq: key.seq, usedAt: minute + firstMs! })),
    firstUsed: firsts.map(({ key }) => key),
  };
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
