const NAME_LENGTH_MAX = 64;

/** The candidate that was probably meant; null when none is near. */
export function nearest(typed: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/**
 * The field of a request that was probably meant. Besides typing errors: another case, the name
 * without its first or last words (`metadata`, `project`), and the record's `expiresAt` for `expiry`.
 */
export function nearestField(typed: string, known: readonly string[]): string | null {
  // Comparing costs time for each character, and no name of ours is that long.
  if (typed.length > NAME_LENGTH_MAX) return null;
  if (/^expir/i.test(typed) && known.includes('expiry')) return 'expiry';
  const lower = typed.toLowerCase();
  const sameLetters = known.find((name) => name.toLowerCase() === lower);
  const near = sameLetters ?? nearest(typed, known);
  if (near !== null || lower.length < 4) return near;
  const holding = known.filter((name) => name.toLowerCase().includes(lower));
  return holding.length === 1 ? holding[0]! : null;
}

/** How many single letters must be put in, taken out, exchanged or swapped with their neighbour. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
      );
      if (
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1]
      )
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length]!;
}
