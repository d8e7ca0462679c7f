import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type {
  CounterLimit,
  CounterSet,
  Counters,
  TakeAllResult,
} from '../../src/cluster/counters/counters.ts';
import { createIds } from '../../src/kernel/ids.ts';

const HOUR_MS = 3_600_000;
const makeId = createIds();

const enforced = { ttlMs: HOUR_MS, isSliding: false, isEnforced: true };
const shadow = { ...enforced, isEnforced: false };
const sliding = { ...enforced, isSliding: true };

/** A set with a limit for each entry, in a group of its own. */
function makeSet(
  limits: Record<string, Partial<CounterLimit> & Pick<CounterLimit, 'limit'>>,
): CounterSet {
  const group = makeId('key');
  return {
    group,
    limits: Object.entries(limits).map(([name, limit]) => ({
      counter: name === 'default' ? group : `${group}:${name}`,
      ...enforced,
      ...limit,
    })),
  };
}

const consumed = async (taken: ReturnType<Counters['takeAll']>) =>
  (await taken).states.map((state) => state.consumed);

/** Requirements for limits that a request consumes from together. */
export function counterSetsContract(open: () => Counters | Promise<Counters>): void {
  describe('with several limits', () => {
    it('takes the cost from each limit, or from none if one refuses', async () => {
      const counters = await open();
      const set = makeSet({ second: { limit: 10 }, day: { limit: 7, ...sliding } });
      const now = Date.now();
      expect(await counters.takeAll(set, 4, now)).toMatchObject({
        refusedBy: -1,
        states: [
          { consumed: 4, isExceeded: false },
          { consumed: 4, isExceeded: false },
        ],
      });
      expect(await counters.takeAll(set, 4, now)).toMatchObject({
        refusedBy: 1,
        states: [
          { consumed: 4, isExceeded: false },
          { consumed: 4, isExceeded: true },
        ],
      });
      expect(await consumed(counters.takeAll(set, 3, now))).toEqual([7, 7]);
      expect(await consumed(counters.takeAll(set, 1, now))).toEqual([7, 7]);
    });

    it('counts up to a limit in shadow mode, and never refuses because of it', async () => {
      const counters = await open();
      const set = makeSet({ tried: { limit: 5, ...shadow }, day: { limit: 100 } });
      const now = Date.now();
      expect(await consumed(counters.takeAll(set, 4, now))).toEqual([4, 4]);
      expect(await counters.takeAll(set, 4, now)).toMatchObject({
        refusedBy: -1,
        states: [
          { consumed: 4, isExceeded: true },
          { consumed: 8, isExceeded: false },
        ],
      });
      expect(await consumed(counters.takeAll(set, 1, now))).toEqual([5, 9]);
    });

    it('takes nothing from a limit in shadow mode if another one refuses', async () => {
      const counters = await open();
      const set = makeSet({ tried: { limit: 5, ...shadow }, day: { limit: 1 } });
      const now = Date.now();
      expect(await consumed(counters.takeAll(set, 2, now))).toEqual([0, 0]);
      expect(await consumed(counters.takeAll(set, 1, now))).toEqual([1, 1]);
    });

    it('reports the limit with the latest reset if several refuse', async () => {
      const counters = await open();
      const set = makeSet({
        hour: { limit: 1 },
        day: { limit: 1, ttlMs: 24 * HOUR_MS },
        minute: { limit: 1, ttlMs: 60_000 },
        month: { ...shadow, limit: 1, ttlMs: 31 * 24 * HOUR_MS },
      });
      await counters.takeAll(set, 1, Date.now());
      expect(await counters.takeAll(set, 1, Date.now())).toMatchObject({ refusedBy: 1 });
    });

    it.each([
      ['a cost of 0', 0, false],
      ['a dry check', 3, true],
    ])('%s takes nothing and opens no window', async (_, cost, isDry) => {
      const counters = await open();
      const set = makeSet({ day: { limit: 5 }, week: { limit: 5, ...sliding } });
      const before = Date.now();
      const checked = await counters.takeAll(set, cost, before, isDry);
      expect(checked).toMatchObject({ refusedBy: -1 });
      expect(checked.states.map((state) => state.consumed)).toEqual([0, 0]);
      await expect.poll(() => Date.now() - before).toBeGreaterThan(20);
      const now = Date.now();
      const taken = await counters.takeAll(set, 5, now);
      expect(taken.states.map((state) => state.consumed)).toEqual([5, 5]);
      expect(taken.states[0]!.resetAt).toBeGreaterThan(before + HOUR_MS + 10);
      expect(await consumed(counters.takeAll(set, cost, now, isDry))).toEqual([5, 5]);
    });

    it('admits a cost of 0 when nothing is left, and reports a dry check that would be refused', async () => {
      const counters = await open();
      const set = makeSet({ day: { limit: 5 } });
      const now = Date.now();
      await counters.takeAll(set, 5, now);
      expect(await counters.takeAll(set, 0, now)).toMatchObject({ refusedBy: -1 });
      expect(await counters.takeAll(set, 1, now, true)).toMatchObject({
        refusedBy: 0,
        states: [{ consumed: 5, isExceeded: true }],
      });
    });

    it('counts a set and a single request in the same window', async () => {
      const counters = await open();
      const set = makeSet({ default: { limit: 10 } });
      const now = Date.now();
      await counters.take(set.group, 10, HOUR_MS, now);
      expect(await consumed(counters.takeAll(set, 4, now))).toEqual([5]);
      expect(await counters.take(set.group, 10, HOUR_MS, now)).toMatchObject({ consumed: 6 });
      expect(await counters.takeAll(set, 5, now)).toMatchObject({ refusedBy: 0 });
    });

    it('applies a changed limit immediately, and never reports more than the limit as consumed', async () => {
      const counters = await open();
      const set = makeSet({ day: { limit: 10 }, week: { limit: 10, ...sliding } });
      const now = Date.now();
      await counters.takeAll(set, 8, now);
      const lowered = { ...set, limits: set.limits.map((each) => ({ ...each, limit: 5 })) };
      expect(await counters.takeAll(lowered, 1, now)).toMatchObject({
        states: [
          { consumed: 5, isExceeded: true },
          { consumed: 5, isExceeded: true },
        ],
      });
      expect(await consumed(counters.takeAll(set, 2, now))).toEqual([10, 10]);
    });

    it('keeps the count when a limit changes to sliding and back', async () => {
      const counters = await open();
      const set = makeSet({ day: { limit: 10 } });
      const slides = { ...set, limits: set.limits.map((each) => ({ ...each, ...sliding })) };
      const now = Date.now();
      expect(await consumed(counters.takeAll(set, 3, now))).toEqual([3]);
      expect(await consumed(counters.takeAll(slides, 3, now))).toEqual([6]);
      expect(await consumed(counters.takeAll(set, 3, now))).toEqual([9]);
    });

    it('admits exactly the limit when 4 times as much is requested concurrently', async () => {
      const counters = await open();
      const set = makeSet({ day: { limit: 300 }, week: { limit: 1_000, ...sliding } });
      const now = Date.now();
      const all = await Promise.all(
        Array.from({ length: 400 }, async () => counters.takeAll(set, 3, now)),
      );
      expect(all.filter(({ refusedBy }) => refusedBy < 0)).toHaveLength(100);
      expect(await consumed(counters.takeAll(set, 0, now))).toEqual([300, 300]);
    });

    it('counts the previous window in proportion, and says when the cost fits', async () => {
      const counters = await open();
      let set: CounterSet;
      let refused: TakeAllResult;
      // Tries again if the machine was too slow for two requests in one window.
      do {
        set = makeSet({ second: { ...sliding, limit: 10, ttlMs: 1_000 } });
        await counters.takeAll(set, 10, Date.now());
        refused = await counters.takeAll(set, 5, Date.now());
      } while (refused.refusedBy < 0);
      const { resetAt } = refused.states[0]!;
      for (;;) {
        const before = Date.now();
        if ((await counters.takeAll(set, 5, before)).refusedBy < 0) break;
        await sleep(10);
      }
      // Half of the previous window must have passed; the next window then begins 1,500 ms after the first.
      expect(Date.now()).toBeGreaterThanOrEqual(resetAt - 5);
    });

    it('leases what is left of a sliding window, and takes the unused part back', async () => {
      const counters = await open();
      const set = makeSet({ day: { limit: 10, ...sliding } });
      const { counter } = set.limits[0]!;
      const now = Date.now();
      await counters.takeAll(set, 4, now);
      const lease = { limit: 10, ttlMs: HOUR_MS, isSliding: true, amount: 8 };
      const request = { id: makeId('lse'), counter, ...lease };
      expect(await counters.lease(request, now)).toMatchObject({ granted: 6, consumed: 10 });
      expect(await counters.takeAll(set, 1, now)).toMatchObject({ refusedBy: 0 });
      expect(await counters.giveBack(request.id, counter, 5, now)).toBe(5);
      expect(await consumed(counters.takeAll(set, 1, now))).toEqual([6]);
    });
  });
}
