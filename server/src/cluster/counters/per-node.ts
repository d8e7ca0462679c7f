import type { LimitCosts } from '@keyward/rules/limit-set.ts';
import type {
  CounterSet,
  Counters,
  LeaseRequest,
  LeaseResult,
  LocalCounters,
  TakeAllResult,
  TakeResult,
} from './counters.ts';

/**
 * The part of a limit that each of `nodes` may admit. Together the nodes stay within the limit, unless the
 * limit is lower than the number of nodes: each node admits at least one request.
 */
export const shareOf = (limit: number, nodes: number): number =>
  Math.max(1, Math.floor(limit / Math.max(1, nodes)));

/**
 * Counts limits on this node only, each divided by the number of live nodes. The shares of the other
 * nodes count as consumed, so that `remaining` is what this node still admits. A cost above the share
 * of a node is always refused.
 */
export class PerNodeCounters implements Counters {
  readonly #local: LocalCounters;
  readonly #nodes: () => number;

  constructor(local: LocalCounters, nodes: () => number) {
    this.#local = local;
    this.#nodes = nodes;
  }

  take(counter: string, limit: number, ttlMs: number, now: number): TakeResult {
    const share = shareOf(limit, this.#nodes());
    const taken = this.#local.take(counter, share, ttlMs, now);
    return share === limit ? taken : withOthers(taken, limit - share);
  }

  takeAll(set: CounterSet, costs: LimitCosts, now: number, isDry = false): TakeAllResult {
    const nodes = this.#nodes();
    if (nodes <= 1) return this.#local.takeAll(set, costs, now, isDry);
    const shares = set.limits.map((each) => ({ ...each, limit: shareOf(each.limit, nodes) }));
    const { group } = set;
    const { refusedBy, states } = this.#local.takeAll({ group, limits: shares }, costs, now, isDry);
    return {
      refusedBy,
      states: states.map((state, n) => withOthers(state, set.limits[n]!.limit - shares[n]!.limit)),
    };
  }

  lease(request: LeaseRequest, now: number): LeaseResult {
    const { limit } = request;
    const share = shareOf(limit, this.#nodes());
    const leased = this.#local.lease({ ...request, limit: share }, now);
    return share === limit ? leased : withOthers(leased, limit - share);
  }

  giveBack(id: string, counter: string, unused: number, now: number): number {
    return this.#local.giveBack(id, counter, unused, now);
  }
}

const withOthers = <Counted extends { readonly consumed: number }>(
  counted: Counted,
  others: number,
): Counted & { readonly others: number } => ({
  ...counted,
  consumed: others + counted.consumed,
  others,
});
