import type { UsageRow } from 'keyward';
import type { Series } from '../../components/charts/chart-series.ts';
import { OUTCOMES } from '../../text/outcomes.ts';

/** All rows of one group in a period. */
export interface Group {
  /** The key, customer, plan or outcome; null for keys without one. */
  readonly id: string | null;
  readonly name: string | null;
  readonly total: number;
  readonly valid: number;
  readonly limited: number;
  /** Sum of the costs of valid requests. */
  readonly cost: number;
  /** Total of the previous period; null if not compared. */
  readonly before: number | null;
  readonly rows: readonly UsageRow[];
}

/** Highest total first; groups with requests in the previous period only come last. */
export function groupsOf(
  rows: readonly UsageRow[],
  before: readonly UsageRow[] | null,
  byOutcome: boolean,
): Group[] {
  const current = Map.groupBy(rows, ({ group }) => group);
  const previous = before && Map.groupBy(before, ({ group }) => group);
  const ids = new Set([...current.keys(), ...(previous?.keys() ?? [])]);
  return [...ids]
    .map((id) => {
      const own = current.get(id) ?? [];
      const old = previous?.get(id) ?? [];
      return {
        id,
        name: byOutcome ? outcomeName(id) : ((own[0] ?? old[0])?.name ?? null),
        total: sum(own, 'total'),
        valid: sum(own, 'valid'),
        limited: sum(own, 'rateLimited'),
        cost: sum(own, 'cost'),
        before: previous ? sum(old, 'total') : null,
        rows: own,
      };
    })
    .filter(({ total, before: old }) => total > 0 || (old ?? 0) > 0)
    .toSorted((a, b) => b.total - a.total || (b.before ?? 0) - (a.before ?? 0));
}

const outcomeName = (id: string | null) => OUTCOMES.find((one) => one.id === id)?.label ?? id;

const sum = (
  rows: readonly UsageRow[],
  field: 'total' | 'valid' | 'rateLimited' | 'cost',
): number => rows.reduce((all, row) => all + row[field], 0);

/** Whether some requests cost more or less than 1, so that the cost is worth showing. */
export const hasCosts = (groups: readonly Group[]): boolean =>
  groups.some(({ cost, valid }) => cost !== valid);

const COLORS = [1, 2, 5, 4, 7, 3] as const;
const OTHERS_COLOR = 6;

/** The largest groups as series of a chart, and all others as one series. */
export function seriesOf(
  groups: readonly Group[],
  times: readonly number[],
  byOutcome: boolean,
  nameOf: (group: Group) => string,
): Series[] {
  const shown = byOutcome ? groups : groups.slice(0, COLORS.length);
  const others = groups.slice(shown.length);
  const series = shown.map((group, index) => ({
    id: `group-${index}`,
    label: nameOf(group),
    color: byOutcome
      ? (OUTCOMES.find(({ id }) => id === group.id)?.color ?? OTHERS_COLOR)
      : COLORS[index]!,
    values: valuesAt(group.rows, times),
  }));
  if (others.length === 0) return series;
  const values = valuesAt(
    others.flatMap(({ rows }) => rows),
    times,
  );
  return [...series, { id: 'others', label: 'Others', color: OTHERS_COLOR, values }];
}

/** The total of each bucket. Rows of other buckets are left out. */
export function valuesAt(rows: readonly UsageRow[], times: readonly number[]): number[] {
  const indexOf = new Map(times.map((time, index) => [time, index]));
  const values = times.map(() => 0);
  for (const { date, total } of rows) {
    const index = indexOf.get(Date.parse(date));
    if (index !== undefined) values[index]! += total;
  }
  return values;
}

/** Change from the previous period: `+12%`, `−3%`, `new` or `gone`. */
export function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? '—' : 'new';
  if (now === 0) return 'gone';
  const change = Math.round((100 * (now - before)) / before);
  if (change === 0) return '±0%';
  return `${change > 0 ? '+' : '−'}${Math.abs(change).toLocaleString('en')}%`;
}
