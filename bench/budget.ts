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
