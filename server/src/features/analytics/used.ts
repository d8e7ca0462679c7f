import type { KeyOutcome, Outcome } from './outcomes.ts';

/** The part of a key in memory that the tally asks for and writes to. */
export abstract class UsedKey {
  abstract readonly seq: number;
  /** One object for all keys of a project is quicker to tell from another than their ids are. */
  abstract readonly project: { readonly id: string };
  abstract firstUsedAt: number | null;
  /** Where its counts stand in the open batch, should that be the one of this number. */
  countedIn = 0;
  countedAt = 0;
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
export function countOn(used: UsedAccessKey, outcome: KeyOutcome, count = 1): void {
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

/** Moves the counts out, in the order of ACCESS_KEY_OUTCOMES. */
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
