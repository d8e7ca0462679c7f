import { describe, expect, it } from 'vitest';
import { LeasedAmount, type LeaseGrant } from '../../src/local/leases/leased-amount.ts';
import { LimitLease } from '../../src/local/leases/limit-lease.ts';

const granted = (amount: number, endsAt = 60_000): LeaseGrant => ({
  id: `lse_${amount}`,
  keyId: 'key_1',
  amount,
  left: amount,
  endsAt,
});
const NOTHING_NEEDED = { amount: 1, needed: 0 };

/** Uses up one lease every `everyMs`; returns the amounts requested. */
function amountsOf(leased: LeasedAmount, everyMs: number, count: number, from = 0): number[] {
  const amounts: number[] = [];
  for (let n = 1; n <= count; n++) {
    const now = from + n * everyMs;
    const wanted = leased.wanted(1, now);
    amounts.push(wanted.amount);
    leased.grant(granted(wanted.amount), wanted, now);
    leased.take(leased.left(now), now);
  }
  return amounts;
}

describe('the amount of a lease', () => {
  it('grows with the use of a key, up to the maximum', () => {
    expect(amountsOf(new LeasedAmount(10_000), 1, 8)).toEqual([
      1, 1, 8, 64, 512, 4_096, 10_000, 10_000,
    ]);
  });

  it('lasts about half a second, and is halved when it lasts long', () => {
    const leased = new LeasedAmount(10_000);
    expect(amountsOf(leased, 250, 5)).toEqual([1, 1, 2, 4, 8]);
    expect(amountsOf(leased, 500, 3, 1_250)).toEqual([16, 16, 16]);
    leased.grant(granted(16), NOTHING_NEEDED, 20_000);
    leased.take(16, 20_000);
    expect(leased.wanted(1, 20_000).amount).toBe(8);
  });

  it('is at least what is needed, and nothing if enough is left', () => {
    const leased = new LeasedAmount(5);
    expect(leased.wanted(40, 0)).toEqual({ amount: 40, needed: 40 });
    leased.grant(granted(40), { amount: 40, needed: 40 }, 0);
    expect(leased.wanted(40, 0)).toEqual({ amount: 0, needed: 0 });
    expect(leased.wanted(43, 0)).toEqual({ amount: 5, needed: 3 });
  });

  it('is at most a twentieth of the limit, and the next is requested only when a quarter is left', () => {
    const { leased } = new LimitLease('counter', 100, false);
    expect(Math.max(...amountsOf(leased, 1, 20))).toBe(5);
    leased.grant(granted(5), NOTHING_NEEDED, 21);
    expect(leased.isLow(21)).toBe(false);
    leased.take(4, 21);
    expect(leased.isLow(21)).toBe(true);
    leased.refuse(1, 21);
    expect([leased.isLow(21), leased.isLow(121)]).toEqual([false, true]);
    expect(new LimitLease('counter', 3, false).leased.wanted(1, 0).amount).toBe(1);
  });

  it('follows what the server grants, if that is less', () => {
    const leased = new LeasedAmount(10_000);
    amountsOf(leased, 1, 5);
    expect(leased.wanted(1, 6).amount).toBe(4_096);
    leased.grant(granted(3), { amount: 4_096, needed: 1 }, 1_000);
    leased.take(3, 1_000);
    expect(leased.wanted(1, 1_000).amount).toBe(3);
  });
});

describe('a lease', () => {
  it('can be used up completely, but not after its end, and what is left is released once', () => {
    const ended: string[] = [];
    const leased = new LeasedAmount(50, ({ id, left }) => ended.push(`${id} ${left}`));
    leased.grant(granted(4, 100), NOTHING_NEEDED, 0);
    leased.grant(granted(3, 200), NOTHING_NEEDED, 0);
    leased.take(1, 0);
    expect(leased.left(0)).toBe(6);
    expect(leased.left(100)).toBe(3);
    leased.take(1, 100);
    expect(ended).toEqual(['lse_4 3']);
    expect(leased.release()).toEqual([{ ...granted(3, 200), left: 2 }]);
    expect(leased.left(100)).toBe(0);
    expect(leased.release()).toEqual([]);
  });

  it('spends a cost from several grants, and says when one is used up', () => {
    const ended: string[] = [];
    const leased = new LeasedAmount(50, ({ id }) => ended.push(id));
    leased.grant(granted(2), NOTHING_NEEDED, 0);
    leased.grant(granted(5), NOTHING_NEEDED, 0);
    leased.take(4, 0);
    expect(ended).toEqual(['lse_2']);
    leased.take(3, 0);
    expect(ended).toEqual(['lse_2', 'lse_5']);
    expect(leased.release()).toEqual([]);
  });

  it('repeats a refusal for a moment, but not for a smaller amount than was refused', () => {
    const leased = new LeasedAmount(50);
    leased.grant(granted(2), NOTHING_NEEDED, 0);
    leased.refuse(3, 0);
    expect([4, 5, 6].map((cost) => leased.isRefused(cost, 99))).toEqual([false, true, true]);
    expect(leased.isRefused(5, 100)).toBe(false);
    leased.grant(granted(0), { amount: 5, needed: 0 }, 200);
    expect([2, 3].map((cost) => leased.isRefused(cost, 200))).toEqual([false, true]);
    leased.grant(granted(1), { amount: 5, needed: 1 }, 210);
    expect(leased.isRefused(9, 210)).toBe(false);
  });
});

it('the count of a limit is that of the server minus what is left of the lease', () => {
  const lease = new LimitLease('counter', 10, false);
  expect(lease.isKnown(0)).toBe(false);
  const window = { consumed: 8, resetAt: 1_000_500, endsAt: 500 };
  lease.grant(granted(3, 500), { amount: 3, needed: 1 }, window, 0);
  lease.leased.take(1, 0);
  expect(lease.count(1, false, 0, 1_000_000)).toEqual({
    consumed: 6,
    resetAt: 1_000_500,
    isExceeded: false,
  });
  expect([lease.isKnown(499), lease.isKnown(500)]).toEqual([true, false]);
});
