/** One of several limits that a request consumes from together. */
export interface LimitInSet {
  readonly limit: number;
  /** False: shadow mode. The limit counts and reports, but never refuses. */
  readonly isEnforced: boolean;
}

export interface LimitCount {
  readonly consumed: number;
  readonly resetAt: number;
  /** The cost did not fit. */
  readonly isExceeded: boolean;
}

/** What several limits decided about a request. */
export interface LimitCounts {
  /** Index of the limit that refused; -1: none. */
  readonly refusedBy: number;
  /** One for each limit, in order. */
  readonly states: readonly LimitCount[];
}

/** What a request takes from each of several limits: from all the same, or from each its own amount. */
export type LimitCosts = number | readonly number[];

export const costAt = (costs: LimitCosts, n: number): number =>
  typeof costs === 'number' ? costs : costs[n]!;

/** Index of the first enforced limit that allows less than its cost in a whole window; -1: none. */
export const indexOfTooSmallLimit = (limits: readonly LimitInSet[], costs: LimitCosts): number =>
  limits.findIndex(({ limit, isEnforced }, n) => isEnforced && costAt(costs, n) > limit);

/**
 * Index of the limit that refuses; -1: none. A limit that can never allow the cost comes first, because
 * waiting for another would not help. Otherwise, of the enforced limits that are exceeded, the last to reset.
 */
export function indexOfRefusingLimit(
  limits: readonly LimitInSet[],
  states: readonly LimitCount[],
  costs: LimitCosts,
): number {
  const tooSmall = indexOfTooSmallLimit(limits, costs);
  if (tooSmall >= 0) return tooSmall;
  let refusedBy = -1;
  for (let n = 0; n < states.length; n++) {
    const { isExceeded, resetAt } = states[n]!;
    if (!isExceeded || !limits[n]!.isEnforced) continue;
    if (refusedBy < 0 || resetAt > states[refusedBy]!.resetAt) refusedBy = n;
  }
  return refusedBy;
}

/**
 * Index of the limit that the `ratelimit-*` headers describe: the one that refused, else the enforced one
 * with the smallest share left; -1 if none is enforced.
 */
export function indexOfDescribedLimit(
  limits: readonly LimitInSet[],
  { refusedBy, states }: LimitCounts,
): number {
  if (refusedBy >= 0) return refusedBy;
  let described = -1;
  let smallest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < limits.length; n++) {
    const { limit, isEnforced } = limits[n]!;
    const share = (limit - states[n]!.consumed) / limit;
    if (!isEnforced || share >= smallest) continue;
    smallest = share;
    described = n;
  }
  return described;
}
