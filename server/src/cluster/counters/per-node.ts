import type { Counters, LeaseRequest, LeaseResult, LocalCounters, TakeResult } from './counters.ts';

/** The part of a limit that each of `nodes` may admit, so that together they stay within the limit. */
export const shareOf = (limit: number, nodes: number): number =>
  Math.max(1, Math.floor(limit / Math.max(1, nodes)));

/**
 * Counts limits on this node only, each divided by the number of live nodes. The shares of the other
 * nodes count as consumed, so that `remaining` is what this node still admits, and a refusal always
 * shows 0 remaining.
 */
export class PerNodeCounters implements Counters {
  readonly #local: LocalCounters;
  readonly #nodes: () => number;

  constructor(local: LocalCounters, nodes: () => number) {
    this.#local = local;
    this.#nodes = nodes;
  }

  take(group: string, limit: number, ttlMs: number, now: number): TakeResult {
    const share = shareOf(limit, this.#nodes());
    const taken = this.#local.take(group, share, ttlMs, now);
    return share === limit ? taken : { ...taken, consumed: limit - share + taken.consumed };
  }

  lease(request: LeaseRequest, now: number): LeaseResult {
    const { limit } = request;
    const share = shareOf(limit, this.#nodes());
    const leased = this.#local.lease({ ...request, limit: share }, now);
    return share === limit ? leased : { ...leased, consumed: limit - share + leased.consumed };
  }

  giveBack(id: string, group: string, unused: number, now: number): number {
    return this.#local.giveBack(id, group, unused, now);
  }
}
