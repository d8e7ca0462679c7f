const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('No values to take a median of.');
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest value that at least the given fraction of the values is less than or equal to. */
export function quantile(values: readonly number[], fraction: number): number {
  if (values.length === 0) throw new Error('No values to take a quantile of.');
  return ascending(values)[Math.max(0, Math.ceil(fraction * values.length) - 1)]!;
}

/** Ratios within each round: a machine that is slow for a moment slows down both sides. */
export function ratios(numerators: readonly number[], denominators: readonly number[]): number[] {
  if (numerators.length !== denominators.length) throw new Error('A round has only one side.');
  return numerators.map((value, round) => value / denominators[round]!);
}
