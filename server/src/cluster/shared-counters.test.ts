import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countersContract } from '../../test/contract/counters.contract.ts';
import { createIds } from '../kernel/ids.ts';
import type { OpenWindow } from './counters.ts';
import { MemoryCounters } from './memory-counters.ts';
import { SharedCounters, sharedWindows } from './shared-counters.ts';

const START = Date.UTC(2030, 0, 1);
const makeId = createIds();
const groupsOf = (count: number): string[] => Array.from({ length: count }, () => makeId('key'));
const sorted = (windows: Iterable<OpenWindow>): OpenWindow[] =>
  [...windows].sort((a, b) => (a.group < b.group ? -1 : 1));

countersContract('shared memory', () => new SharedCounters(sharedWindows(10_000)));

describe('against the counters of one thread', () => {
  const groups = groupsOf(2_000);
  const step = fc.record({
    who: fc.nat({ max: 2 }),
    group: fc.nat({ max: groups.length - 1 }),
    howMany: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 900 })),
    limit: fc.integer({ min: 1, max: 6 }),
    ttlMs: fc.integer({ min: 1, max: 5_000 }),
    elapsedMs: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 8_000 })),
    setBackMs: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1_001, max: 10_000_000 }) },
    ),
  });

  it('several views of the memory decide as one, while it grows and shrinks', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const memory = sharedWindows(100_000);
        const views = [1, 2, 3].map(() => new SharedCounters(memory));
        const single = new MemoryCounters();
        let now = START;
        for (const { who, group, howMany, limit, ttlMs, elapsedMs, setBackMs } of steps) {
          now += elapsedMs - setBackMs;
          for (let n = 0; n < howMany; n += 1) {
            const id = groups[(group + n) % groups.length]!;
            const taken = views[(who + n) % views.length]!.take(id, limit, ttlMs, now);
            expect(taken).toEqual(single.take(id, limit, ttlMs, now));
          }
        }
        expect(sorted(views[0]!.entries(now))).toEqual(sorted(single.entries(now)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('full memory', () => {
  it('makes room of the windows that close first, and says how many it took', () => {
    const counters = new SharedCounters(sharedWindows(10_000));
    const lasting = groupsOf(300);
    for (const group of lasting) counters.take(group, 1, 3_600_000, START);
    for (const group of groupsOf(40_000)) counters.take(group, 1, 60_000, START + 1);
    expect(counters.evicted).toBeGreaterThan(10_000);
    expect(counters.bytes).toBeLessThanOrEqual(256 * 64 * 32);
    const refused = lasting.filter(
      (group) => !counters.take(group, 1, 3_600_000, START + 2).allowed,
    );
    expect(refused).toHaveLength(lasting.length);
  });

  it('takes closed windows before open ones', () => {
    const counters = new SharedCounters(sharedWindows(10_000));
    for (const group of groupsOf(40_000)) counters.take(group, 1, 10, START);
    const taken = counters.evicted;
    const open = groupsOf(500);
    for (const group of open) counters.take(group, 1, 60_000, START + 11);
    expect(counters.evicted).toBe(taken);
    expect(sorted(counters.entries(START + 12)).map(({ group }) => group)).toEqual(open.sort());
  });
});

describe('several threads', () => {
  it('admit exactly the limit of every window together, also while segments grow', async () => {
    const memory = sharedWindows(200_000);
    const groups = groupsOf(5_000);
    const limit = 30;
    const workerData = { memory, groups, limit, calls: groups.length * limit, now: START };
    const child = new URL('../../test/threads/take-windows.child.ts', import.meta.url);
    const threads = Array.from({ length: 3 }, () => new Worker(child, { workerData }));
    const answers = await Promise.all(
      threads.map(async (thread) => (await once(thread, 'message'))[0] as number[]),
    );
    const sums = groups.map((_, n) => answers.reduce((sum, allowed) => sum + allowed[n]!, 0));
    expect(new Set(sums)).toEqual(new Set([limit]));
    const counters = new SharedCounters(memory);
    expect(counters.size).toBe(groups.length);
    expect(counters.evicted).toBe(0);
  });
});
