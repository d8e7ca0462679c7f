import { hasNamedLimits } from '@keyward/rules/default-limit.ts';
import { indexOfDescribedLimit } from '@keyward/rules/limit-set.ts';
import type { CounterLimit, TakeAllResult, TakeResult } from '../../cluster/counters/counters.ts';
import { rateLimitLines } from './headers.ts';

/** The limits of a key, with their names. */
export interface NamedLimits {
  readonly names: readonly string[];
  readonly limits: readonly Pick<CounterLimit, 'limit' | 'ttlMs' | 'isEnforced'>[];
}

/** One limit of several, as if it were the only one. */
export interface DescribedLimit {
  readonly limit: number;
  readonly taken: TakeResult;
}

/** The limit that the `ratelimit-*` headers describe; null if none is enforced. */
export function describedLimit(
  { limits }: NamedLimits,
  result: TakeAllResult,
): DescribedLimit | null {
  const described = indexOfDescribedLimit(limits, result);
  if (described < 0) return null;
  const { consumed, resetAt } = result.states[described]!;
  const allowed = result.refusedBy < 0;
  return { limit: limits[described]!.limit, taken: { allowed, consumed, resetAt } };
}

/**
 * The header lines about the described limit and, for a key with named limits, `RateLimit-Policy` and
 * `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10 with one item for each enforced limit.
 */
export function limitSetLines(
  named: NamedLimits,
  result: TakeAllResult,
  now: number,
  neverFits = false,
): string {
  const described = describedLimit(named, result);
  if (described === null) return '';
  const lines = rateLimitLines(described.limit, described.taken, now, neverFits);
  if (!hasNamedLimits(named.names)) return lines;
  const policies: string[] = [];
  const items: string[] = [];
  for (const [n, { limit, ttlMs, isEnforced }] of named.limits.entries()) {
    if (!isEnforced) continue;
    const { consumed, resetAt } = result.states[n]!;
    const name = `"${named.names[n]}"`;
    policies.push(`${name};q=${limit};w=${ttlMs / 1000}`);
    items.push(`${name};r=${limit - consumed};t=${Math.ceil(Math.max(0, resetAt - now) / 1000)}`);
  }
  return `${lines}RateLimit-Policy: ${policies.join(', ')}\r\nRateLimit: ${items.join(', ')}\r\n`;
}

/** `rateLimits` of a response, as JSON. Names are ASCII without quotes. */
export function limitSetJson({ names, limits }: NamedLimits, { states }: TakeAllResult): string {
  const items = states.map(({ consumed, resetAt, isExceeded }, n) => {
    const { limit } = limits[n]!;
    return `{"name":"${names[n]}","limit":${limit},"remaining":${limit - consumed},"reset":${Math.ceil(resetAt / 1000)},"exceeded":${isExceeded}}`;
  });
  return `[${items.join(',')}]`;
}
