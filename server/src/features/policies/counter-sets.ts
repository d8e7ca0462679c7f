import { hash } from 'node:crypto';
import type { CounterLimit, CounterSet } from '../../cluster/counters/counters.ts';
import { DEFAULT_LIMIT } from './rules.ts';
import type { Limit } from './schema.ts';

/** 128 bits in base64url. */
const GROUP_LENGTH = 22;

/** Identifies a customer, with or without a record, by a hash: its id may contain any characters. */
export const customerGroup = (projectId: string, customAccountId: string): string =>
  `cst_${hash('sha256', `${projectId} ${customAccountId}`, 'base64url').slice(0, GROUP_LENGTH)}`;

interface CountedKey {
  readonly limit_group: string;
  readonly rate_limit: number | null;
  readonly rate_limit_ttl: number | null;
}

export interface NamedCounters {
  readonly set: CounterSet;
  /** The names of `set.limits`. */
  readonly names: readonly string[];
}

/**
 * The counters of a key with `limits`, `rateLimitConfigs` first. `customer`: the group of the key's customer.
 * All counters of a set are in one group, so that Redis can take from all of them at once.
 */
export function counterSet(
  key: CountedKey,
  limits: readonly Limit[],
  customer: string | null,
): NamedCounters {
  const all = allLimits(key, limits);
  const group = customer ?? key.limit_group;
  const ofKey = customer === null ? group : `${group}:${key.limit_group}`;
  const counters = all.map(
    (limit): CounterLimit => ({
      counter: `${limit.per === 'customer' ? group : ofKey}:${limit.name}`,
      limit: limit.rateLimit,
      ttlMs: limit.rateLimitTtl * 1000,
      isSliding: limit.algorithm === 'sliding',
      isEnforced: limit.mode === 'enforce',
    }),
  );
  return { set: { group, limits: counters }, names: all.map(({ name }) => name) };
}

/** `rateLimitConfigs` as a limit, then `limits`. */
export function allLimits(
  { rate_limit, rate_limit_ttl }: Omit<CountedKey, 'limit_group'>,
  limits: readonly Limit[],
): readonly Limit[] {
  if (rate_limit === null || rate_limit_ttl === null) return limits;
  const always = { per: 'key', algorithm: 'fixed', mode: 'enforce' } as const;
  const own = { name: DEFAULT_LIMIT, rateLimit: rate_limit, rateLimitTtl: rate_limit_ttl };
  return [{ ...own, ...always }, ...limits];
}
