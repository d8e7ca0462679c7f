import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowance, KnownWindows } from './known-windows.ts';

const HOUR_MS = 3_600_000;
const NOW = 1_700_000_000_000;
const window = (base: number, own = 0) => ({ base, own, consumed: base, pending: own });
const reply = (consumed: number, closesInMs = HOUR_MS) => ({
  granted: 0,
  consumed,
  resetAt: NOW + closesInMs,
});
const check = (counter: string, limit: number) => ({ counter, limit, ttlMs: HOUR_MS });
const leaseOf = (amount: number, limit = 100, ttlMs = HOUR_MS) => ({
  ...{ id: 'lse_1', counter: 'a', limit, ttlMs, amount },
  isSliding: false,
});

describe('the allowance of a node', () => {
  const limit = fc.integer({ min: 1, max: 10_000 });
  const nodes = fc.integer({ min: 1, max: 20 });

  it('adds up to what was left, except for rounding, if all nodes saw the same count', () => {
    fc.assert(
      fc.property(limit, nodes, fc.nat(12_000), (most, count, consumed) => {
        const each = allowance(window(consumed), most, count);
        const left = Math.max(0, most - consumed);
        // At least one each, so that no key is refused on every node while requests are left.
        expect(each * count).toBeLessThanOrEqual(Math.max(left, left > 0 ? count : 0));
        expect(each * count).toBeGreaterThan(left - count);
      }),
    );
  });

  it('exceeds its part by at most a share of the requests that the node did not see', () => {
    const seen = fc.array(fc.nat(100), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(limit, seen, fc.nat(12_000), (most, missed, consumed) => {
        const count = missed.length;
        const admitted = missed.map((behind) =>
          allowance(window(Math.max(0, consumed - behind)), most, count),
        );
        const total = consumed + admitted.reduce((sum, each) => sum + each, 0);
        const tooMany = missed.reduce((sum, behind) => sum + behind / count, 0);
        expect(total).toBeLessThanOrEqual(Math.max(most, consumed) + tooMany + count);
      }),
    );
  });

  it('is reduced by each request that the node has admitted since the last count', () => {
    fc.assert(
      fc.property(limit, nodes, fc.nat(12_000), fc.nat(100), (most, count, consumed, own) => {
        const fresh = allowance(window(consumed), most, count);
        const now = allowance(window(consumed, own), most, count);
        expect(now).toBe(Math.max(0, fresh - own));
      }),
    );
  });

  it('is never raised by replies during a fault, and never exceeds what is left', () => {
    fc.assert(
      fc.property(
        limit,
        nodes,
        fc.nat(12_000),
        fc.nat(100),
        fc.nat(12_000),
        (most, count, base, own, later) => {
          const before = allowance({ base, own, consumed: base, pending: own }, most, count);
          const consumed = base + later;
          const after = allowance({ base, own, consumed, pending: 0 }, most, count);
          expect(after).toBeLessThanOrEqual(Math.max(0, most - consumed));
          if (later >= own) expect(after).toBeLessThanOrEqual(before);
        },
      ),
    );
  });
});

describe('a node that counts by itself', () => {
  const takeAll = (known: KnownWindows, limit: number, now = NOW) => {
    let admitted = 0;
    while (known.take(check('a', limit), now).allowed) admitted++;
    return admitted;
  };

  it('uses a share of the whole limit for a window it has not seen', () => {
    expect(takeAll(new KnownWindows(() => 4), 100)).toBe(25);
  });

  it('goes on from the last count, and does not renew its share during a fault', () => {
    const known = new KnownWindows(() => 2);
    known.observe('a', reply(60), NOW, true);
    expect(takeAll(known, 100)).toBe(20);
    // Redis has counted what this node admitted, but perhaps not what the other one did.
    known.observe('a', reply(80), NOW, false);
    known.subtractMerged('a', 20);
    expect(takeAll(known, 100)).toBe(0);
    expect(known.take(check('a', 100), NOW)).toEqual({
      allowed: false,
      consumed: 100,
      others: 20,
      resetAt: NOW + HOUR_MS,
    });
    known.observe('a', reply(90), NOW, true);
    expect(takeAll(known, 100)).toBe(5);
  });

  it('starts from the first reply, even during a fault', () => {
    const known = new KnownWindows(() => 2);
    known.observe('a', reply(60), NOW, false);
    expect(takeAll(known, 100)).toBe(20);
  });

  it('admits nothing more when Redis reports that the limit is reached', () => {
    const known = new KnownWindows(() => 2);
    known.observe('a', reply(60), NOW, true);
    known.observe('a', reply(100), NOW, false);
    expect(takeAll(known, 100)).toBe(0);
  });

  it('counts what Redis granted this node during a fault against its share', () => {
    const known = new KnownWindows(() => 2);
    known.observe('a', { ...reply(3), granted: 3 }, NOW, false);
    expect(takeAll(known, 100)).toBe(47);
  });

  it('continues loaded windows', () => {
    const known = new KnownWindows(() => 2);
    known.load('a', 60, NOW + HOUR_MS, NOW);
    expect(takeAll(known, 100)).toBe(20);
  });

  it('does not count a loaded window twice', () => {
    const known = new KnownWindows(() => 1);
    known.load('a', 60, NOW + HOUR_MS, NOW);
    known.observe('a', reply(60), NOW, false);
    known.subtractMerged('a', 60);
    known.observe('a', reply(90), NOW, false);
    expect(takeAll(known, 100)).toBe(10);
  });

  it('shows what this node still admits as remaining', () => {
    const known = new KnownWindows(() => 2);
    known.observe('a', reply(60), NOW, true);
    expect(known.take(check('a', 100), NOW)).toMatchObject({ allowed: true, consumed: 81 });
  });

  it('starts afresh when the window has closed', () => {
    const known = new KnownWindows(() => 2);
    known.observe('a', reply(100, 1_000), NOW, true);
    expect(takeAll(known, 100)).toBe(0);
    expect(takeAll(known, 100, NOW + 1_000)).toBe(50);
  });

  it('forgets closed windows', () => {
    const known = new KnownWindows(() => 1);
    for (let n = 0; n < 1_000; n++) known.observe(`closed ${n}`, reply(1, 1_000), NOW, true);
    for (let n = 0; n < 1_000; n++) known.observe(`open ${n}`, reply(1), NOW + 1_000, true);
    expect(known.size).toBe(1_000);
  });

  it('ignores a reply about a closed window', () => {
    const known = new KnownWindows(() => 1);
    known.observe('a', reply(1, 0), NOW, true);
    expect(known.size).toBe(0);
  });

  it('holds at most the given number of windows, and drops the first', () => {
    const known = new KnownWindows(() => 1, 2);
    for (const group of ['a', 'b', 'c']) known.observe(group, reply(100), NOW, true);
    expect(known.size).toBe(2);
    expect(known.take(check('c', 100), NOW).allowed).toBe(false);
    expect(known.take(check('a', 100), NOW).allowed).toBe(true);
  });

  it('takes back nothing of a lease whose window has closed', () => {
    const known = new KnownWindows(() => 1);
    known.lease(leaseOf(10, 10, 1_000), NOW);
    expect(known.giveBack('lse_1', 'a', 10, NOW + 1_000).returned).toBe(0);
  });

  it('makes what was taken back available again', () => {
    const known = new KnownWindows(() => 1);
    expect(known.lease(leaseOf(100), NOW).granted).toBe(100);
    expect(known.giveBack('lse_1', 'a', 100, NOW).returned).toBe(100);
    expect(takeAll(known, 100)).toBe(100);
  });

  it('grants a lease from the share, and takes it back once', () => {
    const known = new KnownWindows(() => 2);
    expect(known.lease(leaseOf(80), NOW)).toMatchObject({ granted: 50, consumed: 100 });
    expect(known.giveBack('lse_1', 'b', 10, NOW).returned).toBe(0);
    expect(known.giveBack('lse_1', 'a', 99, NOW)).toEqual({ returned: 50, resetAt: NOW + HOUR_MS });
    expect(known.giveBack('lse_1', 'a', 99, NOW).returned).toBe(0);
    expect(takeAll(known, 100)).toBe(50);
  });

  it('takes a cost from all limits or from none', () => {
    const limits = ['a', 'b', 'c'].map((counter, n) => ({
      ...{ counter, limit: 100 - 20 * n, ttlMs: HOUR_MS },
      ...{ isSliding: n === 1, isEnforced: n < 2 },
    }));
    const set = { group: 'a', limits };
    const known = new KnownWindows(() => 2);
    known.observe('b', reply(60), NOW, true);
    const take = (cost: number, isDry = false) => {
      const { refusedBy, states } = known.takeAll(set, cost, NOW, isDry);
      return [refusedBy, ...states.map(({ consumed }) => consumed)];
    };
    // The shares are 50 of 100, 10 of the 20 that are left, and 30 of 60.
    expect(take(11)).toEqual([1, 50, 70, 30]);
    expect(known.size).toBe(1);
    expect(take(10, true)).toEqual([-1, 50, 70, 30]);
    expect(take(10)).toEqual([-1, 60, 80, 40]);
    expect(take(0)).toEqual([-1, 60, 80, 40]);
    expect(take(1)).toEqual([1, 60, 80, 40]);
  });
});
