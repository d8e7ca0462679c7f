import type { Counters } from '../../../cluster/counters/counters.ts';
import type { Tenant } from '../../../kernel/authority.ts';
import { isIdOf } from '../../../kernel/ids.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { UsageTally } from '../../analytics/index.ts';
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
  readonly tally: Pick<UsageTally, 'addCrossing'>;
  readonly clock: Clock;
}

/** Ends leases of keys that the caller may see, and returns their unused requests and credits. */
export class LeaseReturns {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async accept(tenant: Tenant, entries: readonly ReturnedLease[]): Promise<number> {
    // Only ids of leases are accepted: credits and Redis store other entries beside leases, by name, and a
    // caller must not return those.
    const leases = entries.filter(({ leaseId }) => isIdOf('lse', leaseId));
    if (leases.length === 0) return 0;
    const ids = [...new Set(leases.map(({ keyId }) => keyId))];
    const keys = await countedKeys(this.#parts.storage.point, tenant, ids);
    const ofLimits = leases.filter(({ pool }) => pool === undefined);
    const counted = ofLimits.map((lease) => this.#toCounter(keys.get(lease.keyId), lease));
    let returned = (await Promise.all(counted)).reduce((sum, amount) => sum + amount, 0);
    for (const lease of leases)
      if (lease.pool !== undefined)
        returned += await this.#toPool(tenant, lease.pool, lease, keys.get(lease.keyId));
    return returned;
  }

  #toCounter(
    key: CountedKey | undefined,
    { leaseId, unused, counter = key?.limit_group }: ReturnedLease,
  ): Promise<number> | number {
    if (key === undefined || counter === undefined || !isCounterOf(key, counter)) return 0;
    const { counters, clock } = this.#parts;
    return counters.giveBack(leaseId, counter, unused, clock());
  }

  async #toPool(
    { accountId, projectIds }: Tenant,
    pool: string,
    { leaseId, unused }: ReturnedLease,
    key: CountedKey | undefined,
  ): Promise<number> {
    const owner = poolOwner(pool, accountId);
    if (owner === null || (projectIds !== null && !projectIds.includes(owner.projectId))) return 0;
    const { credits, tally, clock } = this.#parts;
    const { returned, notice } = await credits.endLease(owner, leaseId, unused);
    if (notice !== null && key !== undefined)
      tally.addCrossing({ kind: 'credits', keySeq: key.seq, at: clock(), ...notice });
    return returned;
  }
}

/** Counters begin with the rotation group of the key, or with the group of its customer. */
function isCounterOf(key: CountedKey, counter: string): boolean {
  const { limit_group, project_id, custom_account_id } = key;
  const group = counter.split(':', 1)[0];
  if (group === limit_group) return true;
  return custom_account_id !== null && group === customerGroup(project_id, custom_account_id);
}
