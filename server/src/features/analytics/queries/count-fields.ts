import { ACCESS_KEY_OUTCOMES, OUTCOME_INDEX, type Outcome } from '../outcomes.ts';
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
      const count = (each: Outcome): number => shown[OUTCOME_INDEX[each]]!;
      return {
        group,
        name,
        date,
        total: totalOf(shown),
        valid: count('valid'),
        rateLimited: count('rate_limited'),
        revoked: count('revoked'),
        expired: count('expired'),
        domainDenied: count('domain_denied'),
        unknown: count('unknown'),
        malformed: count('malformed'),
        notStarted: count('not_started'),
        ipDenied: count('ip_denied'),
        permissionDenied: count('permission_denied'),
        creditsExhausted: count('credits_exhausted'),
      };
    },
  };
}
