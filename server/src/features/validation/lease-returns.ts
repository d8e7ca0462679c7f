import type { Counters } from '../../cluster/counters/counters.ts';
import type { Tenant } from '../../kernel/authority.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { limitGroups } from '../api-keys/index.ts';

export interface ReturnedLease {
  readonly keyId: string;
  readonly leaseId: string;
  readonly unused: number;
}

/** Takes leases back, of keys that the caller may see. */
export class LeaseReturns {
  readonly #storage: Storage;
  readonly #counters: Counters;
  readonly #clock: Clock;

  constructor(parts: { storage: Storage; counters: Counters; clock: Clock }) {
    this.#storage = parts.storage;
    this.#counters = parts.counters;
    this.#clock = parts.clock;
  }

  async take(tenant: Tenant, leases: readonly ReturnedLease[]): Promise<number> {
    const ids = [...new Set(leases.map(({ keyId }) => keyId))];
    const groups = await limitGroups(this.#storage.point, tenant, ids);
    const now = this.#clock();
    let returned = 0;
    for (const { keyId, leaseId, unused } of leases) {
      const group = groups.get(keyId);
      if (group !== undefined)
        returned += await this.#counters.giveBack(leaseId, group, unused, now);
    }
    return returned;
  }
}
