import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createIds } from '../kernel/ids.ts';
import { MemoryCounters } from './memory-counters.ts';
import { ShareCounters, shareOf } from './share-counters.ts';

const NOW = Date.UTC(2030, 0, 1);
const makeId = createIds();

it('gives every node at least one, and all together no more than the limit otherwise', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.nat({ max: 1_000 }), (limit, nodes) => {
      const share = shareOf(limit, nodes);
      expect(share).toBeGreaterThanOrEqual(1);
      expect(share * Math.max(1, nodes)).toBeLessThanOrEqual(Math.max(limit, nodes));
    }),
  );
});

it('is the whole limit for a node that is alone', () => {
  const alone = new ShareCounters(new MemoryCounters(), () => 1);
  const group = makeId('key');
  expect(alone.take(group, 2, 1_000, NOW)).toMatchObject({ allowed: true, consumed: 1 });
  expect(alone.take(group, 2, 1_000, NOW)).toMatchObject({ allowed: true, consumed: 2 });
  expect(alone.take(group, 2, 1_000, NOW)).toMatchObject({ allowed: false, consumed: 2 });
});

it('shows what this node will still let through, and nothing left when it refuses', () => {
  const third = new ShareCounters(new MemoryCounters(), () => 3);
  const group = makeId('key');
  const consumed = [1, 2, 3, 4].map(() => third.take(group, 10, 1_000, NOW));
  expect(consumed.map((taken) => [taken.allowed, taken.consumed])).toEqual([
    [true, 8],
    [true, 9],
    [true, 10],
    [false, 10],
  ]);
});

it('lends no more than its share, and takes back what was not used', () => {
  const half = new ShareCounters(new MemoryCounters(), () => 2);
  const request = { id: makeId('lse'), group: makeId('key'), limit: 10, ttlMs: 1_000, amount: 9 };
  expect(half.lease(request, NOW)).toMatchObject({ granted: 5, consumed: 10 });
  expect(half.giveBack(request.id, request.group, 9, NOW)).toBe(5);
  expect(half.take(request.group, 10, 1_000, NOW)).toMatchObject({ allowed: true, consumed: 6 });
});

it('follows nodes that come and go, at once', () => {
  let nodes = 2;
  const counters = new ShareCounters(new MemoryCounters(), () => nodes);
  const group = makeId('key');
  for (let n = 0; n < 5; n++) counters.take(group, 10, 1_000, NOW);
  expect(counters.take(group, 10, 1_000, NOW).allowed).toBe(false);
  nodes = 1;
  expect(counters.take(group, 10, 1_000, NOW)).toMatchObject({ allowed: true, consumed: 6 });
});
