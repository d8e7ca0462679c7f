/** `share` of the result from `some`, evenly spread among `others`, each in rotation. */
export function mix(
  others: readonly string[],
  some: readonly string[],
  share: number,
  count: number,
): string[] {
  let taken = 0;
  return Array.from({ length: count }, (_, n) => {
    const due = Math.floor((n + 1) * share);
    if (due === taken) return others[(n - taken) % others.length]!;
    return some[taken++ % some.length]!;
  });
}
