import { describe, expect, it } from 'vitest';
import { MemoryCounters } from '../../../cluster/memory-counters.ts';
import { SignInLimits } from './sign-in-limits.ts';

const MINUTE_MS = 60_000;

function limits() {
  const time = { now: 1_000_000 };
  return { time, of: new SignInLimits(new MemoryCounters(), () => time.now) };
}

/** How many attempts are let through before the first that is not. */
async function letThrough(attempt: (n: number) => Promise<void>, max = 300): Promise<number> {
  for (let n = 0; n < max; n++) {
    try {
      await attempt(n);
    } catch (error) {
      expect(error).toMatchObject({ code: 'sign_in_throttled', status: 429 });
      return n;
    }
  }
  return max;
}

describe('attempts to sign in', () => {
  it('for one person from one address: ten in five minutes', async () => {
    const { of, time } = limits();
    const attempt = () => of.demand('192.0.2.1', 'ada@example.com');
    expect(await letThrough(attempt)).toBe(10);
    time.now += 5 * MINUTE_MS;
    await attempt();
  });

  it('from one address, for whomever: fifty in five minutes', async () => {
    const { of } = limits();
    expect(await letThrough((n) => of.demand('192.0.2.1', `p${n}@example.com`))).toBe(50);
    await of.demand('192.0.2.2', 'ada@example.com');
  });

  it('for one person from everywhere: a hundred in an hour', async () => {
    const { of } = limits();
    expect(await letThrough((n) => of.demand(`10.0.${n}.1`, 'ada@example.com'))).toBe(100);
  });

  it('of an IPv6 network count together', async () => {
    const { of } = limits();
    expect(await letThrough((n) => of.demand(`2001:db8::${n.toString(16)}`))).toBe(50);
    await of.demand('2001:db8:0:1::1');
  });

  it('with one code: once', async () => {
    const { of, time } = limits();
    expect(await of.isFirst('usr_1', '123456')).toBe(true);
    expect(await of.isFirst('usr_1', '123456')).toBe(false);
    expect(await of.isFirst('usr_2', '123456')).toBe(true);
    time.now += 2 * MINUTE_MS;
    expect(await of.isFirst('usr_1', '123456')).toBe(true);
  });
});
