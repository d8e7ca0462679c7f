import { describe, expect, it } from 'vitest';
import { MemoryCounters } from '../../../../cluster/counters/memory.ts';
import { type Caller, SignInLimits } from './limits.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ADA = 'ada@example.com';

function limits() {
  const time = { now: 1_000_000 };
  return { time, of: new SignInLimits(new MemoryCounters(), () => time.now) };
}

const stranger = (address: string): Caller => ({ address, browser: null });
const known = (browser: string, address = '192.0.2.1'): Caller => ({ address, browser });

/** The seconds to wait, or null if the attempt is allowed. */
async function refusal(attempt: Promise<void>): Promise<number | null> {
  try {
    await attempt;
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'sign_in_throttled', status: 429 });
    return Number((error as { headers: string[] }).headers[1]);
  }
}

/** The number of attempts allowed before the first rejected one. */
async function allowedAttempts(attempt: (n: number) => Promise<void>, max = 400): Promise<number> {
  for (let n = 0; n < max; n++) if ((await refusal(attempt(n))) !== null) return n;
  return max;
}

/** A thousand networks, each with as many attempts as it is allowed. */
const ATTACKERS = Array.from({ length: 1000 }, (_, n) => stranger(`10.${n >> 8}.${n & 255}.1`));
async function attack(of: SignInLimits): Promise<number> {
  let guesses = 0;
  for (const attacker of ATTACKERS)
    guesses += await allowedAttempts(() => of.countPassword(attacker, ADA));
  return guesses;
}

describe('passwords', () => {
  it('are limited to ten in five minutes for one person from one address', async () => {
    const { of, time } = limits();
    const attempt = () => of.countPassword(stranger('192.0.2.1'), ADA);
    expect(await allowedAttempts(attempt)).toBe(10);
    time.now += 5 * MINUTE_MS;
    await attempt();
  });

  it('are limited to fifty in five minutes from one address, for all people together', async () => {
    const { of } = limits();
    const from = stranger('192.0.2.1');
    expect(await allowedAttempts((n) => of.countPassword(from, `p${n}@example.com`))).toBe(50);
    await of.countPassword(stranger('192.0.2.2'), ADA);
  });

  it('share one limit within an IPv6 /64', async () => {
    const { of } = limits();
    const from = (n: number) => stranger(`2001:db8::${n.toString(16)}`);
    expect(await allowedAttempts((n) => of.countPassword(from(n), ADA))).toBe(10);
    await of.countPassword(stranger('2001:db8:0:1::1'), ADA);
  });

  it('from an IPv4-mapped IPv6 address count for the IPv4 address', async () => {
    const { of } = limits();
    expect(await allowedAttempts(() => of.countPassword(stranger('::ffff:192.0.2.1'), ADA))).toBe(
      10,
    );
    expect(await refusal(of.countPassword(stranger('192.0.2.1'), ADA))).toBe(300);
  });
});

describe('an attack on one person from a thousand networks', () => {
  it('gets at most 3,100 guesses in every hour', async () => {
    const { of, time } = limits();
    for (let hour = 0; hour < 3; hour++) {
      let guesses = 0;
      for (let round = 0; round < 12; round++) {
        guesses += await attack(of);
        time.now += 5 * MINUTE_MS;
      }
      expect(guesses).toBe(100 + 3 * 1000);
    }
  });

  it('gets no more from many addresses of one network', async () => {
    const { of } = limits();
    expect(await allowedAttempts((n) => of.countPassword(stranger(`10.${n}.0.1`), ADA), 100)).toBe(
      100,
    );
    const neighbours = (n: number) => stranger(`192.0.2.${n}`);
    expect(await allowedAttempts((n) => of.countPassword(neighbours(n), ADA))).toBe(3);
    const wide = (n: number) => stranger(`2001:db8:1:${n.toString(16)}::1`);
    expect(await allowedAttempts((n) => of.countPassword(wide(n), ADA))).toBe(3);
  });

  it('leaves the person three attempts an hour in an unknown browser', async () => {
    const { of, time } = limits();
    const ada = () => of.countPassword(stranger('192.0.2.1'), ADA);
    for (let hour = 0; hour < 3; hour++) {
      await attack(of);
      expect(await allowedAttempts(ada)).toBe(3);
      const wait = (await refusal(ada()))!;
      expect(wait).toBeLessThanOrEqual(3600);
      time.now += HOUR_MS;
    }
  });

  it('does not affect a known browser, not even at the address of an attacker', async () => {
    const { of } = limits();
    await attack(of);
    const { address } = ATTACKERS[0]!;
    expect(await allowedAttempts(() => of.countPassword(known('browser', address!), ADA))).toBe(10);
    expect(await allowedAttempts(() => of.countPassword(known('another', address!), ADA))).toBe(10);
  });

  it('does not affect passkeys, links, identity providers and password resets', async () => {
    const { of } = limits();
    await attack(of);
    const address = ATTACKERS[0]!.address!;
    await allowedAttempts((n) => of.countPassword(stranger(address), `p${n}@example.com`));
    await of.countUnguessable('passkey', address);
    await of.countUnguessable('link', address);
    await of.countUnguessable('provider', address);
    await of.countResetRequest(address);
    await of.countOwnPassword('usr_1');
  });
});

describe('codes', () => {
  it('are limited to ten an hour per person, with a separate limit for a known browser', async () => {
    const { of, time } = limits();
    const attempt = (n: number) => of.countCode(stranger(`10.0.${n}.1`), 'usr_1');
    expect(await allowedAttempts(attempt)).toBe(10);
    expect(await allowedAttempts(() => of.countCode(known('browser'), 'usr_1'))).toBe(10);
    await of.countRecoveryCode(stranger('192.0.2.1'), 'usr_1');
    time.now += HOUR_MS;
    await attempt(1);
  });

  it('work once', async () => {
    const { of, time } = limits();
    expect(await of.useCode('usr_1', '123456')).toBe(true);
    expect(await of.useCode('usr_1', '123456')).toBe(false);
    expect(await of.useCode('usr_2', '123456')).toBe(true);
    time.now += 2 * MINUTE_MS;
    expect(await of.useCode('usr_1', '123456')).toBe(true);
  });

  it('for recovery are limited to ten an hour for one person from one address', async () => {
    const { of } = limits();
    const from = stranger('192.0.2.1');
    expect(await allowedAttempts(() => of.countRecoveryCode(from, 'usr_1'))).toBe(10);
    await of.countRecoveryCode(stranger('192.0.2.2'), 'usr_1');
    await of.countRecoveryCode(from, 'usr_2');
  });
});

describe('mails to reset a password', () => {
  it('are limited to two in half an hour', async () => {
    const { of, time } = limits();
    expect([await of.countResetMail(ADA), await of.countResetMail(ADA)]).toEqual([true, true]);
    expect(await of.countResetMail(ADA)).toBe(false);
    time.now += 30 * MINUTE_MS;
    expect(await of.countResetMail(ADA)).toBe(true);
  });

  it('can be requested ten times in five minutes from one address', async () => {
    const { of } = limits();
    expect(await allowedAttempts(() => of.countResetRequest('192.0.2.1'))).toBe(10);
  });
});

it('allows twenty password guesses in a quarter of an hour with a stolen session', async () => {
  const { of } = limits();
  expect(await allowedAttempts(() => of.countOwnPassword('usr_1'))).toBe(20);
});
