import type { Wanted, WantedLeases } from './key-leases.ts';
import { LEASE_MAX, type LeaseInput } from './request-schema.ts';

/** `amount`: for limits that are not named, and for credits if `leases` does not mention them. */
export function wantedLeases(
  amount: number,
  { policies = false, leases, cost = 1 }: LeaseInput & { readonly cost?: number },
): WantedLeases {
  const unnamed = limited({ amount, needed: cost });
  const named = new Map(leases?.limits?.map(({ name, ...wanted }) => [name, limited(wanted)]));
  return {
    policies,
    cost,
    limit: (name) => named.get(name) ?? unnamed,
    credits: leases?.credits === undefined ? unnamed : limited(leases.credits),
  };
}

const limited = ({ amount, needed }: Wanted): Wanted => ({
  amount: Math.max(needed, Math.min(amount, LEASE_MAX)),
  needed,
});
