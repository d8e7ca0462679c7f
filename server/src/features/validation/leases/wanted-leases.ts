import type { Conditions } from '@keyward/rules/check-key.ts';
import { amountOf, CREDITS } from '@keyward/rules/cost.ts';
import type { Wanted, WantedLeases } from './key-leases.ts';
import { LEASE_MAX, type LeaseInput } from './request-schema.ts';

/**
 * `amount`: the default for limits that `leases` does not name, and for credits if it does not mention them.
 */
export function wantedLeases(
  amount: number,
  { policies = false, accounting = false, leases }: LeaseInput,
  use: Pick<Conditions, 'cost' | 'resource'>,
): WantedLeases {
  const named = new Map(leases?.limits?.map(({ name, ...wanted }) => [name, clamped(wanted)]));
  return {
    policies,
    accounting,
    use,
    limit: (name, needed) => named.get(name) ?? clamped({ amount, needed }),
    credits: clamped(leases?.credits ?? { amount, needed: amountOf(use.cost, CREDITS) }),
  };
}

const clamped = ({ amount, needed }: Wanted): Wanted => ({
  amount: Math.max(needed, Math.min(amount, LEASE_MAX)),
  needed,
});
