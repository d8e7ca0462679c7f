import { takeAccessKeyCounts, takeKeyCounts, type UsedAccessKey, type UsedKey } from './used.ts';

/** What was counted within one minute, taken out of the keys: written whole, or again as it is. */
export interface UsageBatch {
  readonly number: number;
  /** Start of the minute that all of it falls in. */
  readonly minute: number;
  /** seq, then the counts in the order of KEY_OUTCOMES; by seq, so that locks are taken in order. */
  readonly keys: readonly (readonly number[])[];
  /** usedAt, seq, usedAt: as the statement that records them wants it. */
  readonly lastUses: readonly (readonly number[])[];
  readonly firstUses: readonly FirstUse[];
  readonly accessKeys: readonly (readonly number[])[];
  readonly accessKeyLastUses: readonly (readonly number[])[];
  readonly projects: readonly ProjectUse[];
}

export interface FirstUse {
  readonly key: UsedKey;
  readonly seq: number;
  readonly usedSince: number;
}

export interface ProjectUse {
  readonly projectId: string;
  readonly counts: number[];
  /** Of valid uses; null when there was none. */
  usedSince: number | null;
  usedAt: number | null;
}

export function cutBatch(
  number: number,
  minute: number,
  keys: readonly UsedKey[],
  accessKeys: readonly UsedAccessKey[],
): UsageBatch {
  const rows: number[][] = [];
  const lastUses: number[][] = [];
  const firstUses: FirstUse[] = [];
  const projects = new Map<string, ProjectUse>();
  for (const key of keys) {
    key.dirty = false;
    const counts = takeKeyCounts(key);
    const isUsed = counts[0]! > 0;
    addToProject(projects, key, counts, isUsed);
    counts.unshift(key.seq);
    rows.push(counts);
    if (!isUsed) continue;
    lastUses.push([key.usedAt, key.seq, key.usedAt]);
    if (key.firstUsedAt === null) firstUses.push({ key, seq: key.seq, usedSince: key.usedSince });
  }
  const accessRows: number[][] = [];
  const accessKeyLastUses: number[][] = [];
  for (const key of accessKeys) {
    key.dirty = false;
    const counts = takeAccessKeyCounts(key);
    accessKeyLastUses.push([key.usedAt, key.seq, key.usedAt]);
    // A management call uses an access key too, but is no validation.
    if (counts.some((count) => count > 0)) accessRows.push([key.seq, ...counts]);
  }
  return {
    number,
    minute,
    keys: rows.sort(byFirst),
    lastUses: lastUses.sort(bySecond),
    firstUses,
    accessKeys: accessRows.sort(byFirst),
    accessKeyLastUses: accessKeyLastUses.sort(bySecond),
    projects: [...projects.values()].sort((a, b) => (a.projectId < b.projectId ? -1 : 1)),
  };
}

type NumberRow = readonly number[];
const byFirst = (a: NumberRow, b: NumberRow): number => a[0]! - b[0]!;
const bySecond = (a: NumberRow, b: NumberRow): number => a[1]! - b[1]!;

function addToProject(
  projects: Map<string, ProjectUse>,
  key: UsedKey,
  counts: readonly number[],
  isUsed: boolean,
): void {
  let use = projects.get(key.projectId);
  if (use === undefined) {
    use = { projectId: key.projectId, counts: counts.map(() => 0), usedSince: null, usedAt: null };
    projects.set(key.projectId, use);
  }
  for (let i = 0; i < counts.length; i++) use.counts[i]! += counts[i]!;
  if (!isUsed) return;
  use.usedSince = Math.min(use.usedSince ?? key.usedSince, key.usedSince);
  use.usedAt = Math.max(use.usedAt ?? key.usedAt, key.usedAt);
}
