import { hash } from 'node:crypto';
import { allLimits, hasNamedLimits } from '@keyward/rules/default-limit.ts';
import type { CounterLimit, CounterSet } from '../../cluster/counters/counters.ts';
import { rateLimitConfigs } from '../../kernel/schemas.ts';
import type { Limit } from './schema.ts';

/** 128 bits in base64url. */
const GROUP_LENGTH = 22;

/** Identifies a customer, with or without a record, by a hash: its id may contain any characters. */
export const customerGroup = (projectId: string, customAccountId: string): string =>
  `cst_${hash('sha256', `${projectId} ${customAccountId}`, 'base64url').slice(0, GROUP_LENGTH)}`;

/**
 * All limits of a key: `default`, then `limits`, its effective ones. They are not part of its policies, because it
 * shares those with other keys.
 */
export const limitsOfKey = (
  row: Parameters<typeof rateLimitConfigs>[0],
  limits: readonly Limit[],
): readonly Limit[] => allLimits(rateLimitConfigs(row), limits);

export interface NamedCounters {
  readonly set: CounterSet;
  /** The names of `set.limits`. */
  readonly names: readonly string[];
}

/**
 * The counters of all limits of a key. `customer`: the group of the key's customer. They are in one group, so that
 * Redis can take from all of them at once. Windows are kept under these names: with another name, an upgrade would
 * open a new window.
 */
export function counterSet(
  limitGroup: string,
  limits: readonly Limit[],
  customer: string | null,
): NamedCounters {
  const names = limits.map(({ name }) => name);
  // `default` alone counts under the name of the group, whether or not the key has a customer.
  if (!hasNamedLimits(names))
    return {
      set: { group: limitGroup, limits: limits.map((limit) => counterOf(limitGroup, limit)) },
      names,
    };
  const group = customer ?? limitGroup;
  const ofKey = customer === null ? group : `${group}:${limitGroup}`;
  const counters = limits.map((limit) =>
    counterOf(`${limit.per === 'customer' ? group : ofKey}:${limit.name}`, limit),
  );
  return { set: { group, limits: counters }, names };
}

const counterOf = (counter: string, limit: Limit): CounterLimit => ({
  counter,
  limit: limit.rateLimit,
  ttlMs: limit.rateLimitTtl * 1000,
  isSliding: limit.algorithm === 'sliding',
  isEnforced: limit.mode === 'enforce',
});
