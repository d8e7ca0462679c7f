import type { Counters, Leased, LeaseRequest, LocalCounters, Taken } from './counters.ts';

/** What one of `nodes` may admit by itself, so that all together admit no more than the limit. */
export const shareOf = (limit: number, nodes: number): number =>
  Math.max(1, Math.floor(limit / Math.max(1, nodes)));

/**
 * Limits counted on this node alone, each divided by the nodes that are alive. What the other nodes
 * may admit counts as consumed: `remaining` then tells what this node will still let through, and a
 * refusal never says that something remains.
 */
export class ShareCounters implements Counters {
  readonly #local: LocalCounters;
  readonly #nodes: () => number;

  constructor(local: LocalCounters, nodes: () => number) {
    this.#local = local;
    this.#nodes = nodes;
  }

  take(group: string, limit: number, ttlMs: number, now: number): Taken {
    const share = shareOf(limit, this.#nodes());
    const taken = this.#local.take(group, share, ttlMs, now);
    return share === limit ? taken : { ...taken, consumed: limit - share + taken.consumed };
  }

  lease(request: LeaseRequest, now: number): Leased {
    const { limit } = request;
    const share = shareOf(limit, this.#nodes());
    const leased = this.#local.lease({ ...request, limit: share }, now);
    return share === limit ? leased : { ...leased, consumed: limit - share + leased.consumed };
  }

  giveBack(id: string, group: string, unused: number, now: number): number {
    return this.#local.giveBack(id, group, unused, now);
  }
}
