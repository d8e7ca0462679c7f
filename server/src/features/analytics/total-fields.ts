/** All outcomes together; none when there are no counts. */
export const totalOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count, 0);

/** What a row of totals shows of counts in the order of KEY_OUTCOMES. */
export function totalFields(counts: readonly number[]) {
  const [valid = 0, rateLimited = 0, ...denied] = counts;
  return { total: totalOf(counts), valid, rateLimited, denied: totalOf(denied) };
}
