import { indexOfRefusingLimit } from '@keyward/rules/limit-set.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
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

  takeAll({ limits }: CounterSet, cost: number, now: number, isDry: boolean): TakeAllResult {
    const isExceeded = limits.map((each) => cost > 0 && this.#used(each, now) + cost > each.limit);
    const isRefused = limits.some(({ isEnforced }, n) => isEnforced && isExceeded[n]);
    if (!isRefused && !isDry && cost > 0)
      for (const [n, each] of limits.entries())
        if (!isExceeded[n]) {
          const window = this.#at(each, now);
          this.#windows.set(each.counter, { ...window, count: window.count + cost });
        }
    const states = limits.map((each, n) => ({
      consumed: Math.min(each.limit, this.#used(each, now)),
      resetAt: this.#reset(each, Math.max(1, cost), now),
      isExceeded: isExceeded[n]!,
    }));
    return { refusedBy: indexOfRefusingLimit(limits, states, cost), states };
  }

  #at({ counter, ttlMs, isSliding }: CounterLimit, now: number): ModelWindow {
    const fresh = { start: now, end: now + ttlMs, length: isSliding ? ttlMs : null };
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
  cost: number,
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
