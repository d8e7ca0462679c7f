import { ACCESS_KEY_OUTCOMES, type Outcome } from '../outcomes.ts';
import type { Series } from './series.ts';

/** All outcomes together; none when there are no counts. */
export const totalOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count, 0);

/** What a row of totals shows of counts in the order of KEY_OUTCOMES. */
export function totalFields(counts: readonly number[]) {
  const [valid = 0, rateLimited = 0, ...denied] = counts;
  return { total: totalOf(counts), valid, rateLimited, denied: totalOf(denied) };
}

/** What a row of usage shows: the group, and counts of one outcome or of all. */
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
