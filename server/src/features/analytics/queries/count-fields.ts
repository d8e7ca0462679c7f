import { ACCESS_KEY_OUTCOMES, COLUMN_INDEX, KEY_OUTCOMES, type Outcome } from '../outcomes.ts';
import type { Series } from './series.ts';

/** The sum of the costs of valid requests. */
const costOf = (counts: readonly number[]): number =>
  (counts[COLUMN_INDEX.valid] ?? 0) + (counts[COLUMN_INDEX.extra_cost] ?? 0);

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** The sum of all outcomes of a key or project. */
export const totalOf = (counts: readonly number[]): number =>
  sum(counts.slice(0, KEY_OUTCOMES.length));

/** Fields of a totals row, from counts in the order of KEY_COLUMNS. */
export function totalFields(counts: readonly number[]) {
  const [valid = 0, rateLimited = 0] = counts;
  const total = totalOf(counts);
  return { total, valid, rateLimited, denied: total - valid - rateLimited };
}

/** The last field of a totals row: added at the end, so that the other CSV columns keep their places. */
export const costField = (counts: readonly number[]) => ({ cost: costOf(counts) });

/** Fields of a usage row: the group, and the counts of one outcome or of all. */
export function countedFields(
  group: string | null,
  name: string | null,
  outcome: Outcome | null,
): Pick<Series, 'totalOf' | 'row'> {
  const isShown = (each: Outcome): boolean => outcome === null || each === outcome;
  const shown = ACCESS_KEY_OUTCOMES.filter(isShown);
  const total = (counts: readonly number[]): number =>
    sum(shown.map((each) => counts[COLUMN_INDEX[each]] ?? 0));
  return {
    totalOf: total,
    row(date, counts) {
      const count = (each: Outcome): number =>
        isShown(each) ? (counts[COLUMN_INDEX[each]] ?? 0) : 0;
      return {
        group,
        name,
        date,
        total: total(counts),
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
        cost: isShown('valid') ? costOf(counts) : 0,
      };
    },
  };
}
