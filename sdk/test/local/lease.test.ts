import { describe, expect, it } from 'vitest';
import { type GrantedLease, Lease } from '../../src/local/lease.ts';

const STATE = { limit: 0, remaining: 0, consumed: 0, reset: 100, retryAfterSeconds: 60 };
const granted = (left: number, endsAt = 60_000): GrantedLease => ({
  id: `lse_${left}`,
  left,
  endsAt,
  state: { ...STATE, limit: 1_000, remaining: 500 },
});

/** Uses up one lease every `everyMs`; returns the amounts requested. */
function amountsOf(lease: Lease, everyMs: number, count: number, from = 0): number[] {
  const amounts: number[] = [];
  for (let n = 1; n <= count; n++) {
    const now = from + n * everyMs;
    amounts.push(lease.wanted());
    lease.grant(granted(lease.wanted()), now);
    while (lease.take(now) !== null);
  }
  return amounts;
}

describe('the amount of a lease', () => {
  it('grows with the use of a key, up to the maximum that the server grants', () => {
    expect(amountsOf(new Lease(1_000_000), 1, 8)).toEqual([
      1, 1, 8, 64, 512, 4_096, 10_000, 10_000,
    ]);
  });

  it('lasts about half a second, and is halved when it lasts long', () => {
    const lease = new Lease(1_000_000);
    expect(amountsOf(lease, 250, 5)).toEqual([1, 1, 2, 4, 8]);
    expect(amountsOf(lease, 500, 3, 1_250)).toEqual([16, 16, 16]);
    lease.grant(granted(16), 20_000);
    expect(lease.wanted()).toBe(8);
  });

  it('is at most a twentieth of the limit, and the next lease is requested only when a quarter is left', () => {
    const lease = new Lease(100);
    expect(Math.max(...amountsOf(lease, 1, 20))).toBe(5);
    lease.grant(granted(5), 21);
    expect(lease.isLow(21)).toBe(false);
    for (let n = 0; n < 4; n++) lease.take(21);
    expect(lease.isLow(21)).toBe(true);
    expect(new Lease(3).wanted()).toBe(1);
  });
});

describe('a lease', () => {
  it('is used up completely but not after its window, and its rest is released once', () => {
    const lease = new Lease(1_000);
    lease.grant(granted(2, 100), 0);
    lease.grant(granted(3, 200), 0);
    expect(lease.take(0)).toEqual({
      limit: 1_000,
      remaining: 504,
      consumed: 496,
      reset: 100,
      retryAfterSeconds: 0.1,
    });
    expect(lease.left(0)).toBe(4);
    expect(lease.take(100)?.remaining).toBe(502);
    expect(lease.release('key_1', 100)).toEqual([{ keyId: 'key_1', leaseId: 'lse_3', unused: 2 }]);
    expect(lease.take(100)).toBeNull();
    expect(lease.release('key_1', 100)).toEqual([]);
  });
});
