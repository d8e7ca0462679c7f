import { KEY_OUTCOMES, OUTCOMES, type Outcome, USAGE_FIELDS } from '@keyward/rules/outcomes.ts';
import { isoTimeOrNull } from '../../../kernel/time/clock.ts';
import { COLUMN_INDEX } from '../outcomes.ts';
import type { Series } from './series.ts';
import type { ListRow } from './totals-query.ts';

/** The sum of the costs of valid requests. */
export const costOf = (counts: readonly number[]): number =>
  (counts[COLUMN_INDEX.valid] ?? 0) + (counts[COLUMN_INDEX.extra_cost] ?? 0);

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** The sum of all outcomes of a key or project. */
export const totalOf = (counts: readonly number[]): number =>
  sum(counts.slice(0, KEY_OUTCOMES.length));

/** The unit whose stored sums are without what the requests cost in credits, so that most are 0. */
const REQUESTS = 'requests';

/** The sums of units that are not 0, sorted by name; no field if there are none. */
export function unitFields(
  units: ReadonlyMap<string, number>,
  cost: number,
): { units?: Readonly<Record<string, number>> } {
  const used = [...units].filter(([, amount]) => amount !== 0);
  if (used.length === 0) return {};
  const sums = used.map(([unit, amount]) => [unit, unit === REQUESTS ? cost + amount : amount]);
  return { units: Object.fromEntries(sums.toSorted(([a], [b]) => (a! < b! ? -1 : 1))) };
}

/** Fields of a totals row, from counts in the order of KEY_COLUMNS. */
export function totalFields(counts: readonly number[]) {
  const [valid = 0, rateLimited = 0] = counts;
  const total = totalOf(counts);
  return { total, valid, rateLimited, denied: total - valid - rateLimited };
}

export const seriesBasics = (row: ListRow) => ({
  position: { value: row.sort_value, id: row.id },
  group: row.grp,
  since: Math.min(row.created_at, row.first_used_at ?? row.created_at),
});

/**
 * The totals of a key or project, which `owner` names. `cost` is the last field, so that the other columns of CSV
 * files keep their places.
 */
export const totalsSeries = (row: ListRow, owner: Readonly<Record<string, unknown>>): Series => ({
  ...seriesBasics(row),
  totalOf,
  row: (date, counts, units) => ({
    ...owner,
    date,
    ...totalFields(counts),
    firstUsedAt: isoTimeOrNull(row.first_used_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    cost: costOf(counts),
    ...unitFields(units, costOf(counts)),
  }),
});

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
    row(date, counts, units) {
      const row: Record<string, unknown> = { group, name, date, total: total(counts) };
      for (const each of FIELDS)
        row[USAGE_FIELDS[each]] = isShown(each) ? (counts[COLUMN_INDEX[each]] ?? 0) : 0;
      row.cost = isShown('valid') ? costOf(counts) : 0;
      return isShown('valid') ? { ...row, ...unitFields(units, costOf(counts)) } : row;
    },
  };
}
