const NAME_LENGTH_MAX = 64;

/** The candidate that was probably meant; null if none is similar. */
export function closestMatch(typed: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/**
 * The field of a request that was probably meant. Also recognizes another case, a part of the name
 * (`metadata`, `project`), and `expiresAt` for `expiry`.
 */
export function closestField(typed: string, known: readonly string[]): string | null {
  // The cost grows with the length, and no field has such a long name.
  if (typed.length > NAME_LENGTH_MAX) return null;
  if (/^expir/i.test(typed) && known.includes('expiry')) return 'expiry';
  const lower = typed.toLowerCase();
  const sameLetters = known.find((name) => name.toLowerCase() === lower);
  const near = sameLetters ?? closestMatch(typed, known);
  if (near !== null || lower.length < 4) return near;
  const holding = known.filter((name) => name.toLowerCase().includes(lower));
  return holding.length === 1 ? holding[0]! : null;
}

/** The number of insertions, deletions, substitutions and swaps of neighbours (Damerau–Levenshtein). */
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
