import { INTERVALS, type Interval, periodAt } from '@keyward/rules/calendar.ts';

export const REFILL_INTERVALS = INTERVALS;
export type RefillInterval = Interval;

/** The next start of a calendar interval after `after`. */
export const nextRefill = (after: number, interval: RefillInterval, timezone: string): number =>
  periodAt(after, { interval, timezone }).end;
