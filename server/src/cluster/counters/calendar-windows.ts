import { type Calendar, type Period, periodAt } from '@keyward/rules/calendar.ts';

/** The windows of a limit that follows the calendar. Remembers the last one: finding one takes about 30 µs. */
export class CalendarWindows {
  readonly #calendar: Calendar;
  #period: Period = { start: 0, end: 0 };
  #nextEnd = 0;

  constructor(calendar: Calendar) {
    this.#calendar = calendar;
  }

  get interval(): Calendar['interval'] {
    return this.#calendar.interval;
  }

  /** When the window that contains a time ends. */
  endAt(now: number): number {
    const { start, end } = this.#period;
    if (now < start || now >= end) {
      this.#period = periodAt(now, this.#calendar);
      this.#nextEnd = 0;
    }
    return this.#period.end;
  }

  /** The same, and when the next one ends, for somebody with another clock. */
  endsAt(now: number): readonly [number, number] {
    const end = this.endAt(now);
    this.#nextEnd ||= periodAt(end, this.#calendar).end;
    return [end, this.#nextEnd];
  }
}

/**
 * When a window that opens now closes. `time` may be ahead of the clock, by `setBack`: see `WindowClock`.
 */
export const closingTime = (
  { ttlMs, calendar }: { readonly ttlMs: number; readonly calendar?: CalendarWindows },
  time: number,
  setBack: number,
): number => (calendar === undefined ? time + ttlMs : calendar.endAt(time - setBack) + setBack);
