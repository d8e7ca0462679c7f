import { KEY_OUTCOMES, OUTCOMES, type Outcome, USAGE_FIELDS } from '@keyward/rules/outcomes.ts';
import { COLUMN_INDEX } from '../outcomes.ts';
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

const FIELDS = Object.keys(USAGE_FIELDS) as Outcome[];

/** Fields of a usage row: the group, and the counts of one outcome or of all. */
export function countedFields(
  group: string | null,
  name: string | null,
  outcome: Outcome | null,
): Pick<Series, 'totalOf' | 'row'> {
  const isShown = (each: Outcome): boolean => outcome === null || each === outcome;
  const shown = OUTCOMES.filter(isShown);
  const total = (counts: readonly number[]): number =>
    sum(shown.map((each) => counts[COLUMN_INDEX[each]] ?? 0));
  return {
    totalOf: total,
    row(date, counts) {
      const row: Record<string, unknown> = { group, name, date, total: total(counts) };
      for (const each of FIELDS)
        row[USAGE_FIELDS[each]] = isShown(each) ? (counts[COLUMN_INDEX[each]] ?? 0) : 0;
      row.cost = isShown('valid') ? costOf(counts) : 0;
      return row;
    },
  };
}
