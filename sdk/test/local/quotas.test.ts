import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CreditLease } from '../../src/local/leases/credit-lease.ts';
import type { LeasedAmount, LeaseGrant } from '../../src/local/leases/leased-amount.ts';
import { LimitLease } from '../../src/local/leases/limit-lease.ts';
import { Quotas } from '../../src/local/leases/quotas.ts';

const NOW = 1_000;
const LIMIT = 1_000_000;
const WINDOW = { consumed: 0, resetAt: 2_000_000, endsAt: 60_000 };

const grantOf = (amount: number, endsAt: number): LeaseGrant => ({
  id: `lse_${amount}`,
  keyId: 'key_1',
  amount,
  left: amount,
  endsAt,
});

/** What a lease holds: grants of which some have ended, and the smallest amount that was refused. */
const held = fc.record({
  grants: fc.array(fc.tuple(fc.nat({ max: 20 }), fc.constantFrom(NOW, NOW + 1)), { maxLength: 3 }),
  refused: fc.option(fc.integer({ min: 1, max: 10 })),
});
type Held = typeof held extends fc.Arbitrary<infer T> ? T : never;

const leftOf = ({ grants }: Held): number =>
  grants.reduce((sum, [amount, endsAt]) => sum + (endsAt > NOW ? amount : 0), 0);
const isRefused = (each: Held, cost: number): boolean =>
  each.refused !== null && cost > leftOf(each) && cost - leftOf(each) >= each.refused;

function fill(leased: LeasedAmount, { grants, refused }: Held): void {
  for (const [amount, endsAt] of grants)
    if (amount > 0) leased.grant(grantOf(amount, endsAt), { amount, needed: 0 }, NOW);
  if (refused !== null) leased.refuse(refused, NOW);
}

it('a cost is taken from all limits and credits or from none, and never more than is left', () => {
  const limits = fc.array(fc.tuple(held, fc.boolean()), { maxLength: 4 });
  const costs = fc.array(fc.nat({ max: 25 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(limits, fc.option(held), costs, (ofLimits, ofCredits, allCosts) => {
      const credits = ofCredits && new CreditLease('pool', () => {});
      const quotas = new Quotas(
        ofLimits.map(([each, isEnforced], n) => {
          const lease = new LimitLease(`counter ${n}`, LIMIT, false);
          lease.learn(WINDOW);
          fill(lease.leased, each);
          return { name: `limit-${n}`, limit: LIMIT, ttlMs: 60_000, isEnforced, lease };
        }),
        credits,
        () => 0,
      );
      if (credits !== null) fill(credits.leased, ofCredits!);
      const all = [...ofLimits.map(([each]) => each), ...(ofCredits === null ? [] : [ofCredits])];
      const left = () =>
        [
          ...quotas.limits.map(({ lease }) => lease.leased),
          ...(credits ? [credits.leased] : []),
        ].map((leased) => leased.left(NOW));
      const model = all.map(leftOf);
      for (const cost of allCosts) {
        const before = left();
        expect(before).toEqual(model);
        const now = all.map((each, n) => ({ ...each, grants: [[model[n]!, NOW + 1]] }) as Held);
        const covered = now.map((each) => leftOf(each) >= cost);
        const refused = now.map((each) => isRefused(each, cost));
        const enforced = ofLimits.map(([, isEnforced]) => isEnforced);
        const isLimited = enforced.some((isEnforced, n) => isEnforced && refused[n]);
        const isExhausted = credits !== null && refused.at(-1)!;
        const taken = quotas.take(cost, NOW);
        if (isLimited) expect(taken?.outcome).toBe('rate_limited');
        else if (isExhausted) expect(taken?.outcome).toBe('credits_exhausted');
        else if (covered.some((isCovered, n) => !isCovered && !refused[n]))
          expect(taken).toBeNull();
        else if (cost > 0) {
          expect(taken?.outcome).toBe('valid');
          // A limit in shadow mode that is exceeded takes nothing.
          for (const [n, isCovered] of covered.entries()) if (isCovered) model[n]! -= cost;
          expect(taken?.counts?.states.map(({ isExceeded }) => isExceeded) ?? []).toEqual(
            covered.slice(0, enforced.length).map((isCovered) => !isCovered),
          );
        }
        expect(left()).toEqual(model);
      }
    }),
    { numRuns: 2_000 },
  );
});

it('asks for what a cost needs, and for what will soon be used up', () => {
  const [first, second] = [new LimitLease('a', 100, false), new LimitLease('b', 100, false)];
  const credits = new CreditLease('pool', () => {});
  const limitOf = (name: string, lease: LimitLease) => ({
    ...{ name, limit: 100, ttlMs: 60_000, isEnforced: true, lease },
  });
  const quotas = new Quotas([limitOf('a', first), limitOf('b', second)], credits, () => 0);
  first.grant(grantOf(3, 60_000), { amount: 3, needed: 1 }, WINDOW, NOW);
  credits.leased.grant(grantOf(9, 60_000), { amount: 9, needed: 1 }, NOW);
  expect(quotas.wanted(5, NOW)).toEqual({
    limits: [
      { name: 'a', amount: 2, needed: 2 },
      { name: 'b', amount: 5, needed: 5 },
    ],
    credits: { amount: 0, needed: 0 },
  });
});

it('a cost of 0 is decided by the server while the state of a window is not known', () => {
  const lease = new LimitLease('counter', LIMIT, false);
  const limit = { name: 'day', limit: LIMIT, ttlMs: 60_000, isEnforced: true, lease };
  const quotas = new Quotas([limit], null, () => 0);
  expect(quotas.take(0, NOW)).toBeNull();
  lease.learn(WINDOW);
  expect(quotas.take(0, NOW)?.outcome).toBe('valid');
  expect(quotas.take(0, WINDOW.endsAt)).toBeNull();
});
