import { beforeEach, expect, it } from 'vitest';
import type { LeasedKey } from '../../src/generated/api-types.ts';
import type { CreditLease } from '../../src/local/leases/credit-lease.ts';
import { LeaseReturns, type ReturnedLease } from '../../src/local/leases/lease-returns.ts';
import type { LeaseGrant } from '../../src/local/leases/leased-amount.ts';
import { Leases } from '../../src/local/leases/leases.ts';

let sent: ReturnedLease[][];
let isAvailable: boolean;
let returns: LeaseReturns;
let leases: Leases;

beforeEach(() => {
  sent = [];
  isAvailable = true;
  returns = new LeaseReturns(async (some) => {
    sent.push(some);
    return isAvailable;
  });
  leases = new Leases(returns);
});

const WANTED = {
  limits: [{ name: 'day', amount: 5, needed: 1 }],
  credits: { amount: 5, needed: 1 },
};

/** A key with a limit of `limit` requests, and leases that end after `endsInMs`. */
const leasedKey = (limit: number, endsInMs: number) =>
  ({
    record: { id: 'key_1' },
    now: 1_900_000_000_000,
    limits: [
      {
        ...{ name: 'day', counter: 'counter', limit, rateLimitTtl: 60 },
        ...{ algorithm: 'fixed', mode: 'enforce' },
        lease: { id: 'lse_limit', granted: 5, consumed: 5, resetInMs: endsInMs },
      },
    ],
    credits: {
      ...{ pool: 'pool', remaining: 100, nextRefillAt: null },
      lease: { id: 'lse_credits', granted: 5, endsInMs },
    },
  }) as unknown as LeasedKey;

/** Opens the leases of a key, and takes `used` from them. */
function open(endsInMs: number, used: number) {
  const now = performance.now();
  const body = leasedKey(1_000, endsInMs);
  const quotas = leases.open(body)!;
  leases.grant(body, WANTED, now, now);
  expect(quotas.take(used, now)?.outcome).toBe('valid');
  return { quotas, now };
}

const credits = (unused: number) => ({
  ...{ keyId: 'key_1', leaseId: 'lse_credits', unused, pool: 'pool' },
});
const requests = (unused: number) => ({
  ...{ keyId: 'key_1', leaseId: 'lse_limit', unused, counter: 'counter' },
});

it('the return of credits is repeated until the server confirms it, the return of requests is sent once', async () => {
  const { quotas } = open(60_000, 2);
  leases.close(quotas);
  isAvailable = false;
  await returns.flush();
  await returns.flush();
  isAvailable = true;
  await returns.flush();
  await returns.flush();
  expect(sent).toEqual([[requests(3), credits(3)], [credits(3)], [credits(3)]]);
  expect(returns.isEmpty).toBe(true);
});

it('credits are not returned after their end', async () => {
  const { quotas } = open(0.001, 0);
  leases.close(quotas);
  isAvailable = false;
  await returns.flush();
  expect(returns.isEmpty).toBe(true);
});

it('credits that are used up are reported at once', async () => {
  open(60_000, 5);
  await returns.flush();
  expect(sent).toEqual([[credits(0)]]);
});

it('credits are returned some seconds before their end, although they are in use', async () => {
  const { now } = open(10_000, 1);
  leases.returnIdle(Number.NEGATIVE_INFINITY, now);
  expect(returns.isEmpty).toBe(true);
  leases.returnIdle(Number.NEGATIVE_INFINITY, now + 5_001);
  await returns.flush();
  expect(sent).toEqual([[credits(4)]]);
});

it('many leases are returned in calls of at most 300 leases and 64 KB', async () => {
  let settled = 0;
  const add = (count: number, pool: string) => {
    const lease = { pool, reported: () => settled++ } as unknown as CreditLease;
    const grant = { id: 'lse_credits', keyId: 'key_1', left: 1, endsAt: Infinity } as LeaseGrant;
    for (let n = 0; n < count; n++) returns.addCredits(lease, grant);
  };
  add(301, 'short');
  add(30, 'x'.repeat(4_000));
  await returns.flush();
  for (const some of sent) {
    expect(some.length).toBeLessThanOrEqual(300);
    expect(JSON.stringify({ leases: some }).length).toBeLessThanOrEqual(65_536);
  }
  expect(sent.flat()).toHaveLength(331);
  expect(settled).toBe(331);
});

it('keys with different limits on the same counter do not share leases', () => {
  const { quotas, now } = open(60_000, 1);
  const other = leases.open(leasedKey(10, 60_000))!;
  expect(other.take(1, now)).toBeNull();
  expect(quotas.take(1, now)?.outcome).toBe('valid');
});
