import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countersContract } from '../../../test/contract/counters.contract.ts';
import { NaiveCounters } from '../../../test/contract/naive-counters.ts';
import { createIds } from '../../kernel/ids.ts';
import type { OpenWindow } from './counters.ts';
import { MemoryCounters } from './memory.ts';
import { MemoryLeases } from './memory-leases.ts';

const START = Date.UTC(2030, 0, 1);
const makeId = createIds();
const groupsOf = (count: number): string[] => Array.from({ length: count }, () => makeId('key'));
const sorted = (windows: Iterable<OpenWindow>): OpenWindow[] =>
  [...windows].sort((a, b) => (a.counter < b.counter ? -1 : 1));

const saved = (counter: string, resetAt: number, consumed = 1): OpenWindow => ({
  counter,
  resetAt,
  consumed,
  sliding: null,
});

countersContract('memory', () => new MemoryCounters());

describe('compared with a plain map', () => {
  const groups = groupsOf(40);
  const step = fc.record({
    group: fc.nat({ max: groups.length - 1 }),
    limit: fc.integer({ min: 1, max: 6 }),
    ttlMs: fc.integer({ min: 1, max: 5_000 }),
    elapsedMs: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 8_000 })),
    /** The wall clock is moved back by this much, at the very moment of a request. */
    setBackMs: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1_001, max: 10_000_000 }) },
    ),
    carryOver: fc.boolean(),
  });

  it('decides the same for any movement of the clock', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let counters = new MemoryCounters();
        const naive = new NaiveCounters();
        let elapsed = START;
        let setBack = 0;
        for (const { group, limit, ttlMs, elapsedMs, setBackMs, carryOver } of steps) {
          elapsed += elapsedMs;
          counters.take(groups[0]!, 1, 1_000, elapsed - setBack);
          naive.take(groups[0]!, 1, 1_000, elapsed);
          setBack += setBackMs;
          if (carryOver) {
            const windows = [...counters.entries(elapsed - setBack)];
            counters = new MemoryCounters();
            counters.load(windows, elapsed - setBack);
          }
          const taken = counters.take(groups[group]!, limit, ttlMs, elapsed - setBack);
          const expected = naive.take(groups[group]!, limit, ttlMs, elapsed);
          expect(taken).toEqual({ ...expected, resetAt: expected.resetAt - setBack });
        }
      }),
    );
  });

  it('grants and takes back the same leases for any movement of the clock', () => {
    const leaseStep = fc.record({
      group: fc.nat({ max: 3 }),
      amount: fc.integer({ min: 1, max: 6 }),
      unused: fc.nat({ max: 8 }),
      which: fc.nat({ max: 60 }),
      givesBack: fc.boolean(),
      ttlMs: fc.integer({ min: 1, max: 2_000 }),
      elapsedMs: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 4_000 })),
      setBackMs: fc.oneof(
        { weight: 6, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1_001, max: 10_000_000 }) },
      ),
    });
    fc.assert(
      fc.property(fc.array(leaseStep, { maxLength: 100 }), (steps) => {
        const counters = new MemoryCounters();
        const naive = new NaiveCounters();
        const leases: { id: string; counter: string }[] = [];
        let elapsed = START;
        let setBack = 0;
        for (const {
          amount,
          unused,
          which,
          givesBack,
          ttlMs,
          elapsedMs,
          setBackMs,
          ...step
        } of steps) {
          elapsed += elapsedMs;
          counters.take(groups[9]!, 1, 1_000, elapsed - setBack);
          setBack += setBackMs;
          const now = elapsed - setBack;
          const lease = leases[which % Math.max(1, leases.length)];
          if (givesBack && lease) {
            const expected = naive.giveBack(lease.id, lease.counter, unused, elapsed);
            expect(counters.giveBack(lease.id, lease.counter, unused, now)).toBe(expected);
          }
          const request = {
            id: makeId('lse'),
            counter: groups[step.group]!,
            limit: 12,
            ttlMs,
            isSliding: false,
            amount,
          };
          leases.push(request);
          const expected = naive.lease(request, elapsed);
          expect(counters.lease(request, now)).toEqual({
            ...expected,
            resetAt: expected.resetAt - setBack,
          });
        }
      }),
    );
  });

  it('agrees while the number of windows grows and shrinks', () => {
    const many = groupsOf(30_000);
    const counters = new MemoryCounters();
    const naive = new NaiveCounters();
    let now = START;
    let random = 1;
    const next = (below: number): number => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return (random >>> 8) % below;
    };
    for (let round = 0; round < 6; round += 1) {
      const groupCount = round % 2 === 0 ? many.length : 50;
      for (let n = 0; n < 40_000; n += 1) {
        now += next(3);
        const group = many[next(groupCount)]!;
        const limit = 1 + next(3);
        const ttlMs = 1 + next(60_000);
        const taken = counters.take(group, limit, ttlMs, now);
        const expected = naive.take(group, limit, ttlMs, now);
        if (taken.allowed !== expected.allowed || taken.consumed !== expected.consumed) {
          expect(taken).toEqual(expected);
        }
        if (taken.resetAt !== expected.resetAt) expect(taken).toEqual(expected);
      }
      expect(sorted(counters.entries(now))).toEqual(sorted(naive.entries(now)));
    }
  });
});

describe('with an irregular clock', () => {
  const group = makeId('key');

  it('counts a delayed request in the window that has opened meanwhile', () => {
    const counters = new MemoryCounters();
    counters.take(group, 1, 60_000, START + 900);
    expect(counters.take(group, 1, 60_000, START)).toMatchObject({
      allowed: false,
      resetAt: START + 60_900,
    });
    expect(counters.take(group, 1, 60_000, START + 60_899).allowed).toBe(false);
    expect(counters.take(group, 1, 60_000, START + 60_900).allowed).toBe(true);
  });

  it('does not refuse an exhausted key for longer when the clock is set back', () => {
    const counters = new MemoryCounters();
    const anHourBack = START - 3_600_000;
    counters.take(group, 1, 60_000, START);
    expect(counters.take(group, 1, 60_000, anHourBack)).toEqual({
      allowed: false,
      consumed: 1,
      resetAt: anHourBack + 60_000,
    });
    expect(counters.take(group, 1, 60_000, anHourBack + 59_999).allowed).toBe(false);
    expect(counters.take(group, 1, 60_000, anHourBack + 60_000).allowed).toBe(true);
  });

  it('loads windows by the new time after the clock was set back', () => {
    const counters = new MemoryCounters();
    const [first, loaded] = groupsOf(2);
    counters.take(first!, 1, 1_000, START);
    const now = START - 3_600_000;
    counters.take(first!, 1, 1_000, now);
    counters.load([saved(loaded!, now + 5_000)], now);
    expect(counters.take(loaded!, 1, 1_000, now)).toEqual({
      allowed: false,
      consumed: 1,
      resetAt: now + 5_000,
    });
  });

  it('shortens a loaded window that is longer than any window can be', () => {
    const counters = new MemoryCounters();
    const longest = 32 * 24 * 3_600_000;
    counters.load([saved(group, START + 10 * longest)], START);
    expect(counters.take(group, 1, 1_000, START).resetAt).toBe(START + longest);
  });
});

describe('memory', () => {
  it('is freed when windows close, while one stays open', () => {
    const counters = new MemoryCounters();
    const count = 10_000;
    for (let made = 0; made < count; made += 1) counters.take(makeId('key'), 1, 60_000, START);
    expect(counters.size).toBe(count);
    const group = makeId('key');
    for (let taken = 0; taken < count; taken += 1)
      counters.take(group, 2 * count, 3_600_000, START + 60_000);
    expect(counters.size).toBe(1);
    expect(counters.take(group, 2 * count, 1_000, START + 90_000).consumed).toBe(count + 1);
  });

  it('is bounded: the window opened first is evicted, and the eviction counted', () => {
    const counters = new MemoryCounters({ windowsMax: 3 });
    const groups = groupsOf(4);
    for (const group of groups) counters.take(group, 1, 60_000, START);
    expect(counters.size).toBe(3);
    expect(counters.evicted).toBe(1);
    expect(counters.take(groups[1]!, 1, 60_000, START).allowed).toBe(false);
    expect(counters.take(groups[0]!, 1, 60_000, START).allowed).toBe(true);
  });

  it('is reported by the number of windows', () => {
    const counters = new MemoryCounters();
    expect(counters.bytes).toBe(0);
    for (const group of groupsOf(100)) counters.take(group, 1, 1_000, START);
    expect(counters.bytes).toBeGreaterThan(100 * 50);
  });

  it('stays constant while short windows open and close', () => {
    const counters = new MemoryCounters();
    let now = START;
    let largest = 0;
    for (let made = 0; made < 400_000; made += 1) {
      if (made % 100 === 0) now += 10;
      counters.take(makeId('key'), 1, 1_000, now);
      largest = Math.max(largest, counters.size);
    }
    // 10,000 windows are open at any time.
    expect(largest).toBeLessThan(40_000);
  });
});

describe('saved windows', () => {
  it('are added to a window that is already open', () => {
    const counters = new MemoryCounters();
    const group = makeId('key');
    counters.take(group, 10, 60_000, START);
    counters.load([saved(group, START + 5_000, 3)], START);
    expect(counters.take(group, 10, 60_000, START)).toEqual({
      allowed: true,
      consumed: 5,
      resetAt: START + 60_000,
    });
  });

  it('do not include closed windows', () => {
    const counters = new MemoryCounters();
    counters.take(makeId('key'), 1, 1_000, START);
    const open = makeId('ak');
    counters.take(open, 1, 2_000, START);
    expect([...counters.entries(START + 1_000)]).toEqual([saved(open, START + 2_000)]);
    const next = new MemoryCounters();
    next.load([saved(open, START + 2_000)], START + 2_000);
    expect(next.size).toBe(0);
  });
});

describe('a window', () => {
  it('is open until the millisecond of its reset', () => {
    const counters = new MemoryCounters();
    const group = makeId('key');
    expect(counters.take(group, 1, 1_000, START).resetAt).toBe(START + 1_000);
    expect(counters.take(group, 1, 1_000, START + 999).allowed).toBe(false);
    expect(counters.take(group, 1, 5_000, START + 1_000)).toEqual({
      allowed: true,
      consumed: 1,
      resetAt: START + 6_000,
    });
  });
});

describe('leases in memory', () => {
  const request = { limit: 5, ttlMs: 1_000, amount: 3, isSliding: false };

  it('return nothing once their window is closed', () => {
    const counters = new MemoryCounters();
    const group = makeId('key');
    counters.lease({ ...request, id: 'a', counter: group }, START);
    counters.lease({ ...request, id: 'b', counter: group, amount: 1 }, START);
    expect(counters.giveBack('b', group, 1, START + 999)).toBe(1);
    expect(counters.giveBack('a', group, 3, START + 1_000)).toBe(0);
  });

  it('return nothing once their window is evicted, even if the counter has opened another window', () => {
    const counters = new MemoryCounters({ windowsMax: 1 });
    const [group, other] = groupsOf(2);
    const lease = (id: string) => counters.lease({ ...request, id, counter: group! }, START);
    lease('a');
    counters.take(other!, 1, 1_000, START);
    expect(counters.giveBack('a', group!, 3, START)).toBe(0);
    lease('b');
    counters.take(other!, 1, 1_000, START);
    counters.take(group!, 5, 1_000, START + 1);
    expect(counters.giveBack('b', group!, 3, START + 1)).toBe(0);
    expect(counters.take(group!, 5, 1_000, START + 1).consumed).toBe(2);
  });

  it('are removed with their windows; if there are too many, the oldest first', () => {
    const leases = new MemoryLeases();
    const [group] = groupsOf(1);
    const lease = { counter: group!, closesAt: 1_000, granted: 1 };
    for (let n = 0; n < 1_000; n += 1) leases.add(`short ${n}`, lease, 0);
    for (let n = 0; n < 2_000; n += 1)
      leases.add(`long ${n}`, { ...lease, closesAt: 9_000 }, 1_000);
    expect(leases.size).toBe(2_000);
    for (let n = 0; n < 100_000; n += 1)
      leases.add(`many ${n}`, { ...lease, closesAt: 9_000 }, 1_000);
    expect(leases.size).toBe(100_000);
    expect(leases.take('long 0', group!)).toBeUndefined();
    expect(leases.take('many 99999', group!)).toBeDefined();
  });
});
