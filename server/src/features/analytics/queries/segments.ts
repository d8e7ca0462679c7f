import {
  DAY_MS,
  floorTo,
  type Level,
  MINUTE_MS,
  monthStart,
  QUARTER_HOUR_MS,
} from '../usage-kinds.ts';

/** A time range and the table to read it from. */
export interface Segment {
  readonly level: Level;
  readonly from: number;
  readonly until: number;
}

/** How far each level is complete. Later counts are read from the finer level below. */
export interface Reach {
  readonly quartersUntil: number;
  readonly daysUntil: number;
  readonly hasMonths: boolean;
  /**
   * Whether the day at `daysUntil` is rolled up for some owners only. The row of its month then already
   * contains that day for those owners, so the month is not read.
   */
  readonly isDayPartial: boolean;
}

/** The coarsest level whose units fit into the requested buckets. */
export type Grain = Level;

/**
 * Covers [from, until) without gap or overlap, each part by the coarsest level that is complete there
 * and not coarser than `grain`. The row of the current month contains its days up to the watermark; that row is
 * used if the range reaches the watermark and no day is partly rolled up.
 */
export function segmentsOf(from: number, until: number, grain: Grain, reach: Reach): Segment[] {
  if (grain === 'minutes') return segment('minutes', from, until);
  const quartersUntil = clamp(reach.quartersUntil, from, until);
  const minutes = segment('minutes', quartersUntil, until);
  if (grain === 'quarters') return [...segment('quarters', from, quartersUntil), ...minutes];
  const daysFrom = Math.min(ceilTo(from, DAY_MS), quartersUntil);
  const daysUntil = clamp(
    floorTo(Math.min(reach.daysUntil, quartersUntil), DAY_MS),
    daysFrom,
    quartersUntil,
  );
  return [
    ...segment('quarters', from, daysFrom),
    ...(grain === 'months' && reach.hasMonths
      ? monthSegments(daysFrom, daysUntil, daysUntil === reach.daysUntil && !reach.isDayPartial)
      : segment('days', daysFrom, daysUntil)),
    ...segment('quarters', daysUntil, quartersUntil),
    ...minutes,
  ];
}

function monthSegments(from: number, until: number, withRunningMonth: boolean): Segment[] {
  const monthsFrom = from === monthStart(from) ? from : monthStart(monthStart(from) + 32 * DAY_MS);
  const monthsUntil = withRunningMonth ? until : monthStart(until);
  if (monthsFrom >= monthsUntil) return segment('days', from, until);
  return [
    ...segment('days', from, monthsFrom),
    ...segment('months', monthsFrom, monthsUntil),
    ...segment('days', monthsUntil, until),
  ];
}

const segment = (level: Level, from: number, until: number): Segment[] =>
  from < until ? [{ level, from, until }] : [];

const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);

const ceilTo = (ms: number, unitMs: number): number => -floorTo(-ms, unitMs);

export const UNIT_MS: Record<'minutes' | 'quarters', number> = {
  minutes: MINUTE_MS,
  quarters: QUARTER_HOUR_MS,
};
