import { DAY_MS, floorTo, type Level, MINUTE_MS, monthStart, QUARTER_MS } from './subjects.ts';

/** A stretch of time and the table that tells of it. */
export interface Segment {
  readonly level: Level;
  readonly from: number;
  readonly until: number;
}

/** Up to where each level is whole: what lies beyond must be read from the one below. */
export interface Reach {
  readonly quartersUntil: number;
  readonly daysUntil: number;
  readonly hasMonths: boolean;
}

/** The coarsest level whose units never straddle the buckets that are asked for. */
export type Grain = Level;

/**
 * Covers [from, until) without gap or overlap, each stretch by the coarsest level that is whole
 * there and no coarser than `grain`. Months count only when over: the running one is in its days.
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
    ...daySegments(daysFrom, daysUntil, grain === 'months' && reach.hasMonths),
    ...segment('quarters', daysUntil, quartersUntil),
    ...minutes,
  ];
}

function daySegments(from: number, until: number, withMonths: boolean): Segment[] {
  if (!withMonths) return segment('days', from, until);
  const monthsFrom = from === monthStart(from) ? from : monthStart(monthStart(from) + 32 * DAY_MS);
  const monthsUntil = monthStart(until);
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
  quarters: QUARTER_MS,
};
