/**
 * Counts rounds: as many as must be, then on while another like the longest so far ends before the
 * deadline, up to a number that is plenty. So a slow machine measures less, not longer.
 */
export function* roundsWithin(
  { least, most }: { readonly least: number; readonly most: number },
  deadline: number,
  now: () => number,
): Generator<number> {
  let longest = 0;
  for (let round = 0; round < most; round++) {
    const startedAt = now();
    if (round >= least && startedAt + longest > deadline) return;
    yield round;
    longest = Math.max(longest, now() - startedAt);
  }
}

/**
 * Of the seconds that are left, what the first of all that are still to come may take: what it asks
 * for, or less in proportion. So what one took too long for is borne by all after it, not by the last.
 */
export function shareOf(left: number, asked: readonly number[]): number {
  const sum = asked.reduce((all, seconds) => all + seconds, 0);
  return asked[0]! * Math.min(1, left / sum);
}
