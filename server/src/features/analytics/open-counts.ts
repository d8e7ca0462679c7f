import { KEY_OUTCOMES, type KeyOutcome } from './outcomes.ts';
import { packEntries, WIDTH } from './packed-entries.ts';
import type { UsedKey } from './used.ts';

/** Keys in a batch: packing and sending one holds the event loop for less than a millisecond. */
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

const NEVER = Number.POSITIVE_INFINITY;
const ENTRIES_AT_FIRST = 256;
const OUTCOMES = KEY_OUTCOMES.length;

/**
 * What is being counted within one minute. All of it stands in one block of memory, in the order of
 * the keys' first counts: a key in memory only knows its place there, and since when that place is
 * its own. So a count touches the key, which the validation has at hand, and the block; taking the
 * counts out touches no key at all, of which thousands would each have to come from far memory.
 */
export class OpenCounts {
  /** Changes when the counts are taken out: places that keys remember from before are void. */
  #number = 1;
  #entries = new Uint32Array(ENTRIES_AT_FIRST * WIDTH);
  #projectOf = new Uint32Array(ENTRIES_AT_FIRST);
  #size = 0;
  readonly #projects = new Map<string, number>();
  #projectIds: string[] = [];
  /** When a key of each project was first used, in milliseconds of the minute. */
  #usedSinceMs: number[] = [];
  #lastProject: object | null = null;
  #lastProjectPlace = 0;
  #firsts: { readonly key: UsedKey; readonly sinceMs: number; readonly place: number }[] = [];

  /** Keys that were counted. */
  get size(): number {
    return this.#size;
  }

  count(key: UsedKey, outcome: KeyOutcome, ms: number, count = 1): void {
    if (key.countedIn !== this.#number) this.#enter(key);
    const at = key.countedAt * WIDTH;
    const entries = this.#entries;
    entries[at + 2 + placeOf(outcome)]! += count;
    if (outcome !== 'valid') return;
    if (entries[at + 1] === 0) this.#used(key, ms);
    entries[at + 1] = ms + 1;
  }

  #enter(key: UsedKey): void {
    const place = this.#size++;
    if (place === this.#projectOf.length) this.#grow();
    key.countedIn = this.#number;
    key.countedAt = place;
    const at = place * WIDTH;
    this.#entries[at] = key.seq;
    for (let n = 1; n < WIDTH; n++) this.#entries[at + n] = 0;
    // Mostly the same as before.
    if (key.project !== this.#lastProject) this.#turnTo(key.project);
    this.#projectOf[place] = this.#lastProjectPlace;
  }

  /** The first valid use since the counts were last taken out. */
  #used(key: UsedKey, ms: number): void {
    const project = this.#projectOf[key.countedAt]!;
    if (ms < this.#usedSinceMs[project]!) this.#usedSinceMs[project] = ms;
    if (key.firstUsedAt === null) this.#firsts.push({ key, sinceMs: ms, place: key.countedAt });
  }

  #turnTo(project: UsedKey['project']): void {
    this.#lastProject = project;
    const known = this.#projects.get(project.id);
    this.#lastProjectPlace = known ?? this.#projects.size;
    if (known !== undefined) return;
    this.#projects.set(project.id, this.#lastProjectPlace);
    this.#projectIds.push(project.id);
    this.#usedSinceMs.push(NEVER);
  }

  #grow(): void {
    const [entries, projectOf] = [this.#entries, this.#projectOf];
    this.#entries = new Uint32Array(2 * entries.length);
    this.#entries.set(entries);
    this.#projectOf = new Uint32Array(2 * projectOf.length);
    this.#projectOf.set(projectOf);
  }

  /** Everything counted so far, in one part or, when a database that was away left many, in more. */
  take(minute: number): [KeyCounts, ...KeyCounts[]] {
    const endOf = (start: number) => Math.min(start + KEYS_PER_BATCH, this.#size);
    const taken: [KeyCounts, ...KeyCounts[]] = [this.#part(0, endOf(0), minute)];
    for (let start = KEYS_PER_BATCH; start < this.#size; start += KEYS_PER_BATCH)
      taken.push(this.#part(start, endOf(start), minute));
    this.#number++;
    this.#size = 0;
    this.#projects.clear();
    this.#projectIds = [];
    this.#usedSinceMs = [];
    this.#lastProject = null;
    this.#firsts = [];
    // What such a time needed is not needed every day.
    if (this.#projectOf.length > 2 * KEYS_PER_BATCH) {
      this.#entries = new Uint32Array(ENTRIES_AT_FIRST * WIDTH);
      this.#projectOf = new Uint32Array(ENTRIES_AT_FIRST);
    }
    return taken;
  }

  #part(start: number, end: number, minute: number): KeyCounts {
    const firsts = this.#firsts.filter(({ place }) => place >= start && place < end);
    return {
      keys: packEntries(this.#entries.subarray(start * WIDTH, end * WIDTH)),
      projects: this.#projectUses(start, end, minute),
      firstUses: firsts.map(({ key, sinceMs }) => ({ seq: key.seq, usedSince: minute + sinceMs })),
      firstUsed: firsts.map(({ key }) => key),
    };
  }

  /** By id, so that locks are taken in order. */
  #projectUses(start: number, end: number, minute: number): ProjectUse[] {
    const entries = this.#entries;
    const projects = this.#projectIds.length;
    const sums = new Float64Array(projects * OUTCOMES);
    const latest = new Float64Array(projects);
    for (let n = start, at = start * WIDTH; n < end; n++, at += WIDTH) {
      const project = this.#projectOf[n]!;
      const usedAt = entries[at + 1]!;
      if (usedAt > latest[project]!) latest[project] = usedAt;
      for (let i = 0, sum = project * OUTCOMES; i < OUTCOMES; i++)
        sums[sum + i]! += entries[at + 2 + i]!;
    }
    return this.#projectIds
      .map((projectId, n) => ({
        projectId,
        counts: [...sums.subarray(n * OUTCOMES, (n + 1) * OUTCOMES)],
        usedSince: latest[n] === 0 ? null : minute + this.#usedSinceMs[n]!,
        usedAt: latest[n] === 0 ? null : minute + latest[n]! - 1,
      }))
      .filter(({ counts }) => counts.some((count) => count > 0))
      .sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
  }
}

/** Written out: a look-up by name would cost as much as all else. */
function placeOf(outcome: KeyOutcome): number {
  switch (outcome) {
    case 'valid':
      return 0;
    case 'rate_limited':
      return 1;
    case 'revoked':
      return 2;
    case 'expired':
      return 3;
    case 'domain_denied':
      return 4;
  }
}
