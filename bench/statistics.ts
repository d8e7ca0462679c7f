export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('There is no median of nothing.');
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** The smallest value that at least this share of them does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('There is no quantile of nothing.');
  const place = Math.ceil(share * values.length) - 1;
  return ascending(values)[Math.max(0, place)]!;
}

/**
 * Our figure against the peer's, round by round: what slows the machine for a while slows both
 * halves of a round, and leaves their ratio alone.
 */
export function ratiosOf(ours: readonly number[], theirs: readonly number[]): number[] {
  if (ours.length !== theirs.length) throw new Error('Every round needs both sides.');
  return ours.map((value, round) => value / theirs[round]!);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Chance that the median lies outside, on either side. */
const OUTSIDE = 0.025;

/**
 * Where the true median lies, with 95 % confidence, whatever the values are distributed like: the
 * values at two ranks that so many coin tosses would rarely leave it outside of. All of them, where
 * there are too few to say more.
 */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = ascending(values);
  const count = sorted.length;
  let rank = 0;
  let below = 0.5 ** count;
  for (let term = below; below <= OUTSIDE && rank + 1 <= count / 2; ) {
    rank++;
    term *= (count - rank + 1) / rank;
    below += term;
  }
  const left = Math.max(0, rank - 1);
  return { low: sorted[left]!, high: sorted[count - 1 - left]! };
}

export interface Trend {
  /** Of the line, for one step of `at`. */
  readonly slope: number;
  /** From the first to the last `at`, along the line. */
  readonly rise: number;
  /** How far values typically lie from the line: the median distance, scaled as a deviation. */
  readonly noise: number;
}

/** Makes the median distance comparable to a standard deviation. */
const DEVIATIONS = 1.4826;

/**
 * The line through values over time after Theil and Sen: the median of all slopes between two of
 * them, which a few outliers (a collection of garbage, say) do not move.
 */
export function trendOf(points: readonly { readonly at: number; readonly value: number }[]): Trend {
  const slopes: number[] = [];
  points.forEach((from, n) => {
    for (const to of points.slice(n + 1)) slopes.push((to.value - from.value) / (to.at - from.at));
  });
  const slope = median(slopes);
  const offset = median(points.map(({ at, value }) => value - slope * at));
  const distances = points.map(({ at, value }) => Math.abs(value - slope * at - offset));
  const rise = slope * (points.at(-1)!.at - points[0]!.at);
  return { slope, rise, noise: DEVIATIONS * median(distances) };
}
