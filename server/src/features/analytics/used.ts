import type { KeyOutcome, Outcome } from './outcomes.ts';

/**
 * The part of a key in memory that the tally writes to. Plain fields, not an array: a validation
 * increments one of them on an object it holds anyway, and a key in memory stays small.
 */
export abstract class UsedKey {
  abstract readonly seq: number;
  abstract readonly projectId: string;
  abstract firstUsedAt: number | null;
  /**
   * First and latest valid use since the last cut, in milliseconds of the minute. Small numbers: a
   * whole time in a field is an object of its own, and there are two for each key in memory.
   */
  usedSinceMs = 0;
  usedAtMs = 0;
  /** In the list of the next cut already. */
  dirty = false;
  validUses = 0;
  rateLimitedUses = 0;
  revokedUses = 0;
  expiredUses = 0;
  domainDeniedUses = 0;
}

export abstract class UsedAccessKey {
  abstract readonly seq: number;
  usedAt = 0;
  dirty = false;
  validUses = 0;
  rateLimitedUses = 0;
  revokedUses = 0;
  expiredUses = 0;
  domainDeniedUses = 0;
  unknownUses = 0;
  malformedUses = 0;
}

/** A switch, so that each increment is to a field known by name: no look-up, no allocation. */
export function countOn(used: UsedKey | UsedAccessKey, outcome: KeyOutcome, count = 1): void {
  switch (outcome) {
    case 'valid':
      used.validUses += count;
      return;
    case 'rate_limited':
      used.rateLimitedUses += count;
      return;
    case 'revoked':
      used.revokedUses += count;
      return;
    case 'expired':
      used.expiredUses += count;
      return;
    case 'domain_denied':
      used.domainDeniedUses += count;
  }
}

export function countOnAccessKey(used: UsedAccessKey, outcome: Outcome): void {
  if (outcome === 'unknown') used.unknownUses++;
  else if (outcome === 'malformed') used.malformedUses++;
  else countOn(used, outcome);
}

/** Moves the counts out, in the order of KEY_OUTCOMES. */
export function moveKeyCounts(key: UsedKey, into: Uint32Array, at: number): void {
  into[at] = key.validUses;
  into[at + 1] = key.rateLimitedUses;
  into[at + 2] = key.revokedUses;
  into[at + 3] = key.expiredUses;
  into[at + 4] = key.domainDeniedUses;
  key.validUses = 0;
  key.rateLimitedUses = 0;
  key.revokedUses = 0;
  key.expiredUses = 0;
  key.domainDeniedUses = 0;
}

/** The same in the order of ACCESS_KEY_OUTCOMES. */
export function takeAccessKeyCounts(key: UsedAccessKey): number[] {
  const counts = [
    key.validUses,
    key.rateLimitedUses,
    key.revokedUses,
    key.expiredUses,
    key.domainDeniedUses,
    key.unknownUses,
    key.malformedUses,
  ];
  key.validUses = 0;
  key.rateLimitedUses = 0;
  key.revokedUses = 0;
  key.expiredUses = 0;
  key.domainDeniedUses = 0;
  key.unknownUses = 0;
  key.malformedUses = 0;
  return counts;
}
