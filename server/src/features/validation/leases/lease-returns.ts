import type { Counters } from '../../../cluster/counters/counters.ts';
import type { Tenant } from '../../../kernel/authority.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import { type CountedKey, countedKeys } from '../../api-keys/index.ts';
import { type CreditLedger, poolOwner } from '../../credits/index.ts';
import { customerGroup } from '../../policies/index.ts';

export interface ReturnedLease {
  readonly keyId: string;
  readonly leaseId: string;
  readonly unused: number;
  /** Default: the counter of `rateLimitConfigs` of a key without `limits`. */
  readonly counter?: string;
  /** For a lease of credits. */
  readonly pool?: string;
}

interface Parts {
  readonly storage: Storage;
  readonly counters: Counters;
  readonly credits: CreditLedger;
  readonly clock: Clock;
}

/** Ends leases of keys that the caller may see, and returns their unused requests and credits. */
export class LeaseReturns {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async take(tenant: Tenant, leases: readonly ReturnedLease[]): Promise<number> {
    const ofLimits = leases.filter(({ pool }) => pool === undefined);
    let returned = await this.#toCounters(tenant, ofLimits);
    for (const lease of leases)
      if (lease.pool !== undefined) returned += await this.#toPool(tenant, lease.pool, lease);
    return returned;
  }

  async #toCounters(tenant: Tenant, leases: readonly ReturnedLease[]): Promise<number> {
    if (leases.length === 0) return 0;
    const { storage, counters, clock } = this.#parts;
    const ids = [...new Set(leases.map(({ keyId }) => keyId))];
    const keys = await countedKeys(storage.point, tenant, ids);
    const now = clock();
    const returned = await Promise.all(
      leases.map(({ keyId, leaseId, unused, counter }) => {
        const key = keys.get(keyId);
        if (key === undefined) return 0;
        const counted = counter ?? key.limit_group;
        return isCounterOf(key, counted) ? counters.giveBack(leaseId, counted, unused, now) : 0;
      }),
    );
    return returned.reduce((sum, amount) => sum + amount, 0);
  }

  #toPool(
    { accountId, projectIds }: Tenant,
    pool: string,
    { leaseId, unused }: ReturnedLease,
  ): Promise<number> | number {
    const owner = poolOwner(pool, accountId);
    if (owner === null || (projectIds !== null && !projectIds.includes(owner.projectId))) return 0;
    return this.#parts.credits.endLease(owner, leaseId, unused);
  }
}

/** Counters begin with the rotation group of the key, or with the group of its customer. */
function isCounterOf(key: CountedKey, counter: string): boolean {
  const { limit_group, project_id, custom_account_id } = key;
  const group = counter.split(':', 1)[0];
  if (group === limit_group) return true;
  return custom_account_id !== null && group === customerGroup(project_id, custom_account_id);
}
