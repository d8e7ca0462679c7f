import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryCounters } from '../../../cluster/counters/memory.ts';
import { counterSet } from '../../policies/index.ts';
import { type ReplayedLimit, replay, requestsOf, type Windows } from './replay.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2030, 0, 1);

const limits = fc
  .array(
    fc.record({
      rateLimit: fc.integer({ min: 1, max: 60 }),
      rateLimitTtl: fc.integer({ min: 60, max: 400 }),
      per: fc.constantFrom('key', 'customer'),
      algorithm: fc.constantFrom('fixed', 'sliding'),
      mode: fc.constantFrom('enforce', 'shadow'),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => all.map((limit, n) => ({ ...limit, name: `limit-${n}` })));

const KEYS = [
  { id: 'key_1', customer: 'cst_1' },
  { id: 'key_2', customer: 'cst_1' },
  { id: 'key_3', customer: null },
];

const minutes = fc.array(
  fc.record({
    key: fc.constantFrom(...KEYS),
    passed: fc.integer({ min: 0, max: 3 }),
    valid: fc.integer({ min: 0, max: 20 }),
    cost: fc.integer({ min: 0, max: 60 }),
    refused: fc.integer({ min: 0, max: 5 }),
  }),
  { maxLength: 60 },
);

const replayed = ({
  name,
  rateLimit,
  rateLimitTtl,
  per,
  algorithm,
  mode,
}: typeof limits extends fc.Arbitrary<readonly (infer Each)[]> ? Each : never): ReplayedLimit => ({
  name,
  limit: rateLimit,
  per,
  isSliding: algorithm === 'sliding',
  isEnforced: mode === 'enforce',
  lengthAt: () => rateLimitTtl * 1000,
});

it('replaying equal requests together gives the same results as counting them one at a time', () => {
  fc.assert(
    fc.property(limits, minutes, (drafted, recorded) => {
      const counters = new MemoryCounters();
      const own = new Map(KEYS.map(({ id }) => [id, [] as Windows]));
      const ofCustomer: Windows = [];
      let time = START;
      for (const { key, passed, ...minute } of recorded) {
        time += passed * MINUTE_MS;
        const { set } = counterSet(key.id, drafted, key.customer, 0);
        const windows = own.get(key.id)!;
        const shared = key.customer === null ? windows : ofCustomer;
        const counted = { own: windows, shared, exempt: new Set<number>() };
        for (const requests of requestsOf({ ...minute, cost: minute.valid && minute.cost })) {
          const expected = { refused: 0, exceeded: drafted.map(() => 0) };
          for (let sent = 0; sent < requests.count; sent++) {
            const { refusedBy, states } = counters.takeAll(set, requests.cost, time);
            if (refusedBy >= 0) expected.refused++;
            for (const [n, { isExceeded }] of states.entries())
              if (isExceeded) expected.exceeded[n]!++;
          }
          expect(replay(drafted.map(replayed), counted, requests, time)).toEqual(expected);
        }
      }
    }),
  );
});

describe('a limit that does not apply to a key', () => {
  it('neither counts nor refuses', () => {
    const limit: ReplayedLimit = {
      name: 'minute',
      limit: 1,
      per: 'key',
      isSliding: false,
      isEnforced: true,
      lengthAt: () => MINUTE_MS,
    };
    const windows: Windows = [];
    const key = { own: windows, shared: windows, exempt: new Set([0]) };
    const result = replay([limit], key, { count: 5, cost: 1 }, START);
    expect(result).toEqual({ refused: 0, exceeded: [0] });
    expect(windows).toEqual([]);
  });
});

describe('the requests of a minute', () => {
  it.each([
    [{ valid: 3, cost: 3, refused: 0 }, [{ count: 3, cost: 1 }]],
    [
      { valid: 3, cost: 8, refused: 2 },
      [
        { count: 2, cost: 3 },
        { count: 1, cost: 2 },
        { count: 2, cost: 1 },
      ],
    ],
    [
      { valid: 5, cost: 2, refused: 0 },
      [
        { count: 2, cost: 1 },
        { count: 3, cost: 0 },
      ],
    ],
    [{ valid: 0, cost: 0, refused: 4 }, [{ count: 4, cost: 1 }]],
    [{ valid: 0, cost: 0, refused: 0 }, []],
  ])('%j are %j', (minute, requests) => {
    expect(requestsOf(minute)).toEqual(requests);
  });

  it('have the recorded number and cost', () => {
    const minute = fc.record({
      valid: fc.integer({ min: 1, max: 1e6 }),
      cost: fc.integer({ min: 0, max: 1e12 }),
      refused: fc.integer({ min: 0, max: 1e6 }),
    });
    fc.assert(
      fc.property(minute, (recorded) => {
        const all = requestsOf(recorded);
        const sum = (of: (each: (typeof all)[number]) => number) =>
          all.reduce((total, each) => total + of(each), 0);
        expect(sum(({ count }) => count)).toBe(recorded.valid + recorded.refused);
        expect(sum(({ count, cost }) => count * cost)).toBe(recorded.cost + recorded.refused);
      }),
    );
  });
});
