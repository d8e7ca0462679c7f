import { KEY_OUTCOMES, type KeyOutcome, OUTCOME_INDEX } from './outcomes.ts';
import { packEntries, WIDTH } from './packed-entries.ts';
import type { UsedKey } from './used.ts';

/** Keys in a batch: packing and sending one holds the event loop for a few milliseconds. */
export const KEYS_PER_BATCH = 8_000;

export interface FirstUse {
  readonly seq: number;
  readonly usedSince: number;
}

export interface ProjectUse {
  readonly projectId: string;
  /** In the order of KEY_OUTCOMES. */
  readonly counts: number[];
  /** Of valid uses; null when there was none. */
  readonly usedSince: number | null;
  readonly usedAt: number | null;
}

/** Some of the counts, taken out together. */
export interface KeyCounts {
  readonly keys: Uint8Array;
  readonly projects: readonly ProjectUse[];
  readonly firstUses: readonly FirstUse[];
  /** In the order of the first uses. */
  readonly firstUsed: readonly UsedKey[];
}

/** Uses of one key; times are milliseconds of the minute, of valid uses only. */
interface KeyUse {
  readonly key: UsedKey;
  readonly counts: number[];
  firstMs: number | null;
  lastMs: number | null;
}

/** The uses counted within one minute and not yet taken out. */
export class OpenCounts {
  #uses = new Map<UsedKey, KeyUse>();

  /** Keys that were counted. */
  get size(): number {
    return this.#uses.size;
  }

  count(key: UsedKey, outcome: KeyOutcome, ms: number, count = 1): void {
    let use = this.#uses.get(key);
    if (use === undefined) {
      use = { key, counts: [0, 0, 0, 0, 0], firstMs: null, lastMs: null };
      this.#uses.set(key, use);
    }
    use.counts[OUTCOME_INDEX[outcome]]! += count;
    if (outcome !== 'valid') return;
    use.firstMs ??= ms;
    use.lastMs = ms;
  }

  /** Everything counted so far. One part, or several after an outage of the database. */
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

function partOf(uses: readonly KeyUse[], minute: number): KeyCounts {
  const entries = new Uint32Array(uses.length * WIDTH);
  uses.forEach(({ key, counts, lastMs }, n) => {
    entries.set([key.seq, lastMs === null ? 0 : lastMs + 1, ...counts], n * WIDTH);
  });
  const firsts = uses.filter(({ key, firstMs }) => key.firstUsedAt === null && firstMs !== null);
  return {
    keys: packEntries(entries),
    projects: projectUses(uses, minute),
    firstUses: firsts.map(({ key, firstMs }) => ({
      seq: key.seq,
      usedSince: minute + firstMs!,
    })),
    firstUsed: firsts.map(({ key }) => key),
  };
}

/** Sorted by id, so that locks are taken in order. */
function projectUses(uses: readonly KeyUse[], minute: number): ProjectUse[] {
  const byProject = Map.groupBy(uses, ({ key }) => key.project.id);
  return [...byProject]
    .map(([projectId, ofProject]) => {
      const used = ofProject.filter(({ firstMs }) => firstMs !== null);
      const first = used.reduce((least, { firstMs }) => Math.min(least, firstMs!), Infinity);
      const last = used.reduce((most, { lastMs }) => Math.max(most, lastMs!), 0);
      return {
        projectId,
        counts: KEY_OUTCOMES.map((_, n) =>
          ofProject.reduce((sum, { counts }) => sum + counts[n]!, 0),
        ),
        usedSince: used.length === 0 ? null : minute + first,
        usedAt: used.length === 0 ? null : minute + last,
      };
    })
    .sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
}
