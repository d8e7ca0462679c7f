import { ACCESS_KEY_OUTCOMES, type Outcome } from '../outcomes.ts';
import type { Series } from './series.ts';

/** The sum of all outcomes. */
export const totalOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count, 0);

/** Fields of a totals row, from counts in the order of KEY_OUTCOMES. */
export function totalFields(counts: readonly number[]) {
  const [valid = 0, rateLimited = 0, ...denied] = counts;
  return { total: totalOf(counts), valid, rateLimited, denied: totalOf(denied) };
}

/** Fields of a usage row: the group, and the counts of one outcome or of all. */
export function countedFields(
  group: string | null,
  name: string | null,
  outcome: Outcome | null,
): Pick<Series, 'totalOf' | 'row'> {
  const seen = (counts: readonly number[]): number[] =>
    ACCESS_KEY_OUTCOMES.map((each, i) =>
      outcome === null || each === outcome ? (counts[i] ?? 0) : 0,
    );
  return {
    totalOf: (counts) => totalOf(seen(counts)),
    row(date, counts) {
      const shown = seen(counts);
      const [valid, rateLimited, revoked, expired, domainDenied, unknown, malformed] = shown;
      return {
        group,
        name,
        date,
        total: totalOf(shown),
        valid,
        rateLimited,
        revoked,
        expired,
        domainDenied,
        unknown,
        malformed,
      };
    },
  };
}
