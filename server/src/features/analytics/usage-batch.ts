import { type KeyEntries, takeEntries } from './key-entries.ts';
import { takeAccessKeyCounts, type UsedAccessKey, type UsedKey } from './used.ts';

/** What was counted within one minute, taken out of the keys: written whole, or again as it is. */
export interface UsageBatch {
  readonly number: number;
  /** Start of the minute that all of it falls in. */
  readonly minute: number;
  /** By seq, so that locks are taken in order. */
  readonly keys: KeyEntries;
  readonly firstUses: readonly FirstUse[];
  /** seq, then the counts in the order of ACCESS_KEY_OUTCOMES. */
  readonly accessKeys: readonly (readonly number[])[];
  /** usedAt, seq, usedAt: as the statement that records them wants it. */
  readonly accessKeyLastUses: readonly (readonly number[])[];
  readonly projects: readonly ProjectUse[];
}

export interface FirstUse {
  readonly seq: number;
  readonly usedSince: number;
}

/** A batch, and the keys in memory that are to know of their first use once it is written. */
export interface CutBatch {
  readonly batch: UsageBatch;
  /** In the order of the batch's first uses. */
  readonly firstUsed: readonly UsedKey[];
}

export interface ProjectUse {
  readonly projectId: string;
  /** In the order of KEY_OUTCOMES. */
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
): CutBatch {
  const firstUses: FirstUse[] = [];
  const firstUsed: UsedKey[] = [];
  const projects = new Map<string, ProjectUse>();
  let project: ProjectUse | undefined;
  for (const key of keys) {
    key.dirty = false;
    // Mostly the same as before.
    if (project?.projectId !== key.projectId) project = projectOf(projects, key.projectId);
    addToProject(project, key, minute);
    if (key.validUses === 0 || key.firstUsedAt !== null) continue;
    firstUses.push({ seq: key.seq, usedSince: minute + key.usedSinceMs });
    firstUsed.push(key);
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
  const batch: UsageBatch = {
    number,
    minute,
    keys: takeEntries(keys),
    firstUses,
    accessKeys: accessRows.sort((a, b) => a[0]! - b[0]!),
    accessKeyLastUses: accessKeyLastUses.sort((a, b) => a[1]! - b[1]!),
    projects: [...projects.values()].sort((a, b) => (a.projectId < b.projectId ? -1 : 1)),
  };
  return { batch, firstUsed };
}

function projectOf(projects: Map<string, ProjectUse>, projectId: string): ProjectUse {
  const known = projects.get(projectId);
  if (known !== undefined) return known;
  const use = { projectId, counts: [0, 0, 0, 0, 0], usedSince: null, usedAt: null };
  projects.set(projectId, use);
  return use;
}

function addToProject(use: ProjectUse, key: UsedKey, minute: number): void {
  const { counts } = use;
  counts[0]! += key.validUses;
  counts[1]! += key.rateLimitedUses;
  counts[2]! += key.revokedUses;
  counts[3]! += key.expiredUses;
  counts[4]! += key.domainDeniedUses;
  if (key.validUses === 0) return;
  const since = minute + key.usedSinceMs;
  const at = minute + key.usedAtMs;
  if (use.usedSince === null || since < use.usedSince) use.usedSince = since;
  if (use.usedAt === null || at > use.usedAt) use.usedAt = at;
}
