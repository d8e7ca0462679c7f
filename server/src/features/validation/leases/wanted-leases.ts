import type { Wanted, WantedLeases } from './key-leases.ts';
import { LEASE_MAX, type LeaseInput } from './request-schema.ts';

/**
 * `amount`: the default for limits that `leases` does not name, and for credits if it does not mention them.
 */
export function wantedLeases(
  amount: number,
  { policies = false, leases, cost = 1 }: LeaseInput & { readonly cost?: number },
): WantedLeases {
  const unnamed = clamped({ amount, needed: cost });
  const named = new Map(leases?.limits?.map(({ name, ...wanted }) => [name, clamped(wanted)]));
  return {
    policies,
    cost,
    limit: (name) => named.get(name) ?? unnamed,
    credits: leases?.credits === undefined ? unnamed : clamped(leases.credits),
  };
}

const clamped = ({ amount, needed }: Wanted): Wanted => ({
  amount: Math.max(needed, Math.min(amount, LEASE_MAX)),
  needed,
});
