import type { Counters, TakeResult } from '../../cluster/counters/counters.ts';

/** A limit for what an account does itself, counted like the limits of keys: by all nodes together. */
export interface AccountLimit {
  /** Distinguishes the counters of an account. */
  readonly name: string;
  readonly limit: number;
  readonly ttlMs: number;
}

/** Takes a cost, or nothing if it does not fit. */
export async function takeFromAccount(
  counters: Counters,
  accountId: string,
  { name, limit, ttlMs }: AccountLimit,
  cost: number,
  now: number,
): Promise<TakeResult> {
  const counter = `${accountId}:${name}`;
  const limits = [{ counter, limit, ttlMs, isSliding: false, isEnforced: true }];
  const { refusedBy, states } = await counters.takeAll({ group: accountId, limits }, cost, now);
  const { consumed, resetAt } = states[0]!;
  return { allowed: refusedBy < 0, consumed, resetAt };
}
