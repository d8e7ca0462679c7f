import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countersContract } from '../../../test/contract/counters.contract.ts';
import { createIds } from '../../kernel/ids.ts';
import { MemoryCounters } from './memory.ts';
import { PerNodeCounters, shareOf } from './per-node.ts';

const NOW = Date.UTC(2030, 0, 1);
const makeId = createIds();

countersContract('per node', () => new PerNodeCounters(new MemoryCounters(), () => 1));

it('gives all nodes together at most the limit, but every node at least one request', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.nat({ max: 1_000 }), (limit, nodes) => {
      const share = shareOf(limit, nodes);
      expect(share).toBeGreaterThanOrEqual(1);
      expect(share * Math.max(1, nodes)).toBeLessThanOrEqual(Math.max(limit, nodes));
    }),
  );
});

it('gives a single node the whole limit', () => {
  const alone = new PerNodeCounters(new MemoryCounters(), () => 1);
  const group = makeId('key');
  expect(alone.take(group, 2, 1_000, NOW)).toMatchObject({ allowed: true, consumed: 1 });
  expect(alone.take(group, 2, 1_000, NOW)).toMatchObject({ allowed: true, consumed: 2 });
  expect(alone.take(group, 2, 1_000, NOW)).toMatchObject({ allowed: false, consumed: 2 });
});

it('reports as remaining what this node still admits, and 0 when it refuses', () => {
  const third = new PerNodeCounters(new MemoryCounters(), () => 3);
  const group = makeId('key');
  const consumed = [1, 2, 3, 4].map(() => third.take(group, 10, 1_000, NOW));
  expect(consumed.map((taken) => [taken.allowed, taken.consumed])).toEqual([
    [true, 8],
    [true, 9],
    [true, 10],
    [false, 10],
  ]);
});

it('grants leases within its share, and takes back the unused part', () => {
  const half = new PerNodeCounters(new MemoryCounters(), () => 2);
  const lease = { limit: 10, ttlMs: 1_000, isSliding: false, amount: 9 };
  const request = { id: makeId('lse'), counter: makeId('key'), ...lease };
  expect(half.lease(request, NOW)).toMatchObject({ granted: 5, consumed: 10 });
  expect(half.giveBack(request.id, request.counter, 9, NOW)).toBe(5);
  expect(half.take(request.counter, 10, 1_000, NOW)).toMatchObject({ allowed: true, consumed: 6 });
});

it('follows the number of nodes immediately', () => {
  let nodes = 2;
  const counters = new PerNodeCounters(new MemoryCounters(), () => nodes);
  const group = makeId('key');
  for (let n = 0; n < 5; n++) counters.take(group, 10, 1_000, NOW);
  expect(counters.take(group, 10, 1_000, NOW).allowed).toBe(false);
  nodes = 1;
  expect(counters.take(group, 10, 1_000, NOW)).toMatchObject({ allowed: true, consumed: 6 });
});
