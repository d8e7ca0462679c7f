import { expect, it } from 'vitest';
import { CalendarWindows } from '../../src/cluster/counters/calendar-windows.ts';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import { PerNodeCounters } from '../../src/cluster/counters/per-node.ts';
import { checkAgainstModel, checkCalendarsAgainstModel } from './limits-model.ts';

const NOW = Date.UTC(2030, 0, 1);

it('memory decides as the model does', () =>
  checkAgainstModel(() => {
    const counters = new MemoryCounters();
    return (...request) => counters.takeAll(...request);
  }, 2_000));

it('memory decides as the model does about units and calendars', () =>
  checkCalendarsAgainstModel(() => {
    const counters = new MemoryCounters();
    return (...request) => counters.takeAll(...request);
  }, 300));

it('a clock that was set back does not move the end of a month', () => {
  const calendar = new CalendarWindows({ interval: 'month', timezone: 'UTC' });
  const rest = { limit: 9, ttlMs: 1, isSliding: false, isEnforced: true, calendar };
  const set = { group: 'key_a', limits: [{ counter: 'key_a:x/month', ...rest }] };
  const counters = new MemoryCounters();
  const day = 86_400_000;
  counters.takeAll({ group: 'a', limits: [{ counter: 'a:x/month', ...rest }] }, 1, NOW + 40 * day);
  // Set back by 30 days: the window that opens now is that of January.
  const { states } = counters.takeAll(set, 1, NOW + 10 * day);
  expect(states[0]!.resetAt).toBe(Date.UTC(2030, 1, 1));
});

it('a single node decides as the model does', () =>
  checkAgainstModel(() => {
    const counters = new PerNodeCounters(new MemoryCounters(), () => 1);
    return (...request) => counters.takeAll(...request);
  }, 100));

it('each of several nodes takes from its share, all or nothing', () => {
  const half = new PerNodeCounters(new MemoryCounters(), () => 2);
  const limit = { ttlMs: 1_000, isSliding: false, isEnforced: true };
  const set = {
    group: 'key_a',
    limits: [
      { ...limit, counter: 'key_a:x', limit: 20 },
      { ...limit, counter: 'key_a:y', limit: 10 },
    ],
  };
  expect(half.takeAll(set, 4, NOW).states.map(({ consumed }) => consumed)).toEqual([14, 9]);
  const refused = half.takeAll(set, 2, NOW);
  expect(refused.refusedBy).toBe(1);
  expect(refused.states.map(({ consumed }) => consumed)).toEqual([14, 9]);
});

it('saves and loads windows, even those that only count as the previous window', () => {
  const limit = { ttlMs: 1_000, limit: 10, isEnforced: true };
  const set = {
    group: 'key_a',
    limits: [
      { ...limit, counter: 'key_a:sliding', isSliding: true },
      { ...limit, counter: 'key_a:fixed', isSliding: false },
    ],
  };
  for (const savedAfterMs of [0, 999, 1_000, 1_500, 1_999, 2_000])
    for (const loadedAfterMs of [0, 300, 1_200]) {
      const before = new MemoryCounters();
      before.takeAll(set, 8, NOW);
      const after = new MemoryCounters();
      const loadedAt = NOW + savedAfterMs + loadedAfterMs;
      after.load(before.entries(NOW + savedAfterMs), loadedAt);
      expect(after.takeAll(set, 1, loadedAt)).toEqual(before.takeAll(set, 1, loadedAt));
    }
});
