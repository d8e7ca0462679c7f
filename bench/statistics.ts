/** The figures a run of rounds is told in. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('There is no median of nothing.');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const summaryOf = (values: readonly number[]): Summary => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

/**
 * Our figure against the peer's, round by round: what slows the machine for a while slows both
 * halves of a round, and leaves their ratio alone.
 */
export function ratiosOf(ours: readonly number[], theirs: readonly number[]): number[] {
  if (ours.length !== theirs.length) throw new Error('Every round needs both sides.');
  return ours.map((value, round) => value / theirs[round]!);
}
