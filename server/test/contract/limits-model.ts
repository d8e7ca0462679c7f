import { type Calendar, periodAt } from '@keyward/rules/calendar.ts';
import { costAt, indexOfRefusingLimit, type LimitCosts } from '@keyward/rules/limit-set.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import { CalendarWindows } from '../../src/cluster/counters/calendar-windows.ts';
import type {
  CounterLimit,
  CounterSet,
  TakeAllResult,
} from '../../src/cluster/counters/counters.ts';

/** A time far from now, so that no key of Redis expires during a test. */
const START = Date.UTC(2100, 0, 1);

interface ModelWindow {
  readonly start: number;
  readonly end: number;
  /** Null: fixed. */
  readonly length: number | null;
  readonly count: number;
  readonly previous: number;
}

/** The rules of limits in their simplest form: the time when a cost fits is found by trying each millisecond. */
export class LimitsModel {
  readonly #windows = new Map<string, ModelWindow>();
  /** The calendars of counters. */
  readonly #calendars: ReadonlyMap<string, Calendar>;

  constructor(calendars: ReadonlyMap<string, Calendar> = new Map()) {
    this.#calendars = calendars;
  }

  takeAll({ limits }: CounterSet, costs: LimitCosts, now: number, isDry: boolean): TakeAllResult {
    const costOf = limits.map((_, n) => costAt(costs, n));
    const isExceeded = limits.map(
      (each, n) => costOf[n]! > 0 && this.#used(each, now) + costOf[n]! > each.limit,
    );
    const isRefused = limits.some(({ isEnforced }, n) => isEnforced && isExceeded[n]);
    if (!isRefused && !isDry)
      for (const [n, each] of limits.entries())
        if (!isExceeded[n] && costOf[n]! > 0) {
          const window = this.#at(each, now);
          this.#windows.set(each.counter, { ...window, count: window.count + costOf[n]! });
        }
    const states = limits.map((each, n) => ({
      consumed: Math.min(each.limit, this.#used(each, now)),
      resetAt: this.#reset(each, Math.max(1, costOf[n]!), now),
      isExceeded: isExceeded[n]!,
    }));
    return { refusedBy: indexOfRefusingLimit(limits, states, costs), states };
  }

  #at({ counter, ttlMs, isSliding }: CounterLimit, now: number): ModelWindow {
    const calendar = this.#calendars.get(counter);
    const closes = calendar === undefined ? now + ttlMs : periodAt(now, calendar).end;
    const fresh = { start: now, end: closes, length: isSliding ? ttlMs : null };
    const last = this.#windows.get(counter);
    if (last === undefined) return { ...fresh, count: 0, previous: 0 };
    if (now < last.end) return isSliding ? { ...last, length: last.length ?? ttlMs } : last;
    const follows = isSliding && last.length !== null && now < last.end + last.length;
    if (!follows || now >= last.end + ttlMs) return { ...fresh, count: 0, previous: 0 };
    const end = last.end + ttlMs;
    return { start: last.end, end, length: ttlMs, count: 0, previous: last.count };
  }

  #used(limit: CounterLimit, now: number): number {
    const { count, previous, end, length } = this.#at(limit, now);
    if (!limit.isSliding) return count;
    const covered = BigInt(previous) * BigInt(end - now);
    return count + Number((covered + BigInt(length!) - 1n) / BigInt(length!));
  }

  #reset(limit: CounterLimit, cost: number, now: number): number {
    const window = this.#at(limit, now);
    const { end, count, previous } = window;
    if (!limit.isSliding) return end;
    if (cost > limit.limit && count === 0 && previous === 0) return end;
    const enough = cost > limit.limit ? 0 : limit.limit - cost;
    // A window that was fixed so far slides from now on.
    const later = new LimitsModel();
    later.#windows.set(limit.counter, window);
    let time = now;
    while (later.#used(limit, time) > enough) time++;
    return time;
  }
}

const NAMES = ['default', 'second', 'day', 'month'];

const limit = fc.record({
  name: fc.constantFrom(...NAMES),
  limit: fc.integer({ min: 1, max: 12 }),
  ttlMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(40) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 100 }) },
  ),
  isSliding: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
  isEnforced: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
});

const step = fc.record({
  group: fc.constantFrom('cst_a', 'key_b'),
  limits: fc.uniqueArray(limit, { minLength: 1, maxLength: 4, selector: ({ name }) => name }),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 0, max: 14 })),
  isDry: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
  elapsedMs: fc.oneof(fc.constant(0), fc.nat({ max: 20 }), fc.nat({ max: 150 })),
});

export type TakeSet = (
  set: CounterSet,
  costs: LimitCosts,
  now: number,
  isDry: boolean,
) => TakeAllResult | Promise<TakeAllResult>;

/** Random costs, limits, algorithms, modes and pauses: the engine decides and reports what the model does. */
export async function checkAgainstModel(open: () => TakeSet, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const takeAll = open();
      const model = new LimitsModel();
      let now = START;
      for (const { group, limits, cost, isDry, elapsedMs } of steps) {
        now += elapsedMs;
        const set = {
          group,
          limits: limits.map(({ name, ...rest }) => ({
            counter: name === 'default' ? group : `${group}:${name}`,
            ...rest,
          })),
        };
        const expected = model.takeAll(set, cost, now, isDry);
        expect(await takeAll(set, cost, now, isDry)).toEqual(expected);
      }
    }),
    { numRuns },
  );
}

const HOUR_MS = 3_600_000;

/** Each interval, in zones that change their clocks, with anchors on days that not all months have. */
const CALENDARS: readonly Calendar[] = [
  { interval: 'day', timezone: 'Europe/Berlin' },
  { interval: 'day', timezone: 'America/New_York', anchor: Date.UTC(2030, 0, 1, 7, 30) },
  { interval: 'week', timezone: 'Asia/Kolkata' },
  { interval: 'week', timezone: 'Europe/Berlin', anchor: Date.UTC(2030, 0, 2, 1, 30) },
  { interval: 'month', timezone: 'Pacific/Apia' },
  { interval: 'month', timezone: 'UTC', anchor: Date.UTC(2030, 0, 31, 10) },
];

/** A day before the clocks of Berlin change, and the last days of January and of a leap February. */
const BEGINNINGS = [
  Date.UTC(2100, 2, 27),
  Date.UTC(2100, 9, 30),
  Date.UTC(2101, 0, 29),
  Date.UTC(2104, 1, 26),
];

const calendarLimit = fc.record({
  calendar: fc.option(fc.nat({ max: CALENDARS.length - 1 })),
  unit: fc.nat({ max: 2 }),
  limit: fc.integer({ min: 1, max: 20 }),
  isEnforced: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
});

const calendarStep = fc.record({
  limits: fc.uniqueArray(calendarLimit, {
    ...{ minLength: 1, maxLength: 8 },
    selector: ({ calendar, unit }) => `${unit}/${calendar}`,
  }),
  /** What the request costs of each unit. */
  amounts: fc.tuple(...[1, 4, 25].map((max) => fc.nat({ max }))),
  isDry: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
  elapsedMs: fc.oneof(
    ...[1, HOUR_MS, 30 * HOUR_MS, 20 * 24 * HOUR_MS].map((max) => fc.nat({ max })),
  ),
});

/** Limits of several units, with windows by the calendar, over changes of the clock and ends of months. */
export async function checkCalendarsAgainstModel(
  open: () => TakeSet,
  numRuns: number,
): Promise<void> {
  const windows = CALENDARS.map((calendar) => new CalendarWindows(calendar));
  const steps = fc.array(calendarStep, { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...BEGINNINGS), steps, async (beginning, all) => {
      const takeAll = open();
      const calendars = new Map<string, Calendar>();
      const model = new LimitsModel(calendars);
      let now = beginning;
      for (const { limits, amounts, isDry, elapsedMs } of all) {
        now += elapsedMs;
        const set = {
          group: 'key_a',
          limits: limits.map(({ calendar, unit, limit, isEnforced }) => {
            const counter = `key_a:${unit}/${calendar}`;
            const rest = { counter, limit, ttlMs: HOUR_MS, isSliding: false, isEnforced };
            if (calendar === null) return rest;
            calendars.set(counter, CALENDARS[calendar]!);
            return { ...rest, calendar: windows[calendar]! };
          }),
        };
        const costs = limits.map(({ unit }) => amounts[unit]!);
        const expected = model.takeAll(set, costs, now, isDry);
        expect(await takeAll(set, costs, now, isDry)).toEqual(expected);
      }
    }),
    { numRuns },
  );
}
