import { type AddressRange, parseAddressRange } from '@keyward/rules/addresses.ts';
import {
  type CheckedKey,
  type Conditions,
  checkKey,
  type KeyRefusalCode,
} from '@keyward/rules/check-key.ts';
import type { KeyOutcome } from '@keyward/rules/outcomes.ts';
import { Grants, missing, NO_GRANTS } from '@keyward/rules/permissions.ts';
import type { LeasedKey, ValidatedKey } from '../generated/api-types.ts';
import { type Accepted, type Refused, refused } from '../validation/outcome.ts';
import type { Quotas } from './leases/quotas.ts';

/** A cached key that this process validates. It does not contain the key's value. */
export class Entry implements CheckedKey {
  readonly accepted: Accepted;
  /** Null for a key without limits and credits. */
  readonly quotas: Quotas | null;
  /** The key's project, plan and customer, by the names under which changes are announced. */
  readonly groups: readonly string[];
  /** On the monotonic clock. */
  readonly expiresAt: number | null;
  readonly allowedIPs: readonly AddressRange[] | null;
  readonly grants: Grants;
  /** Removed from the cache, or never cached: remaining references must not use the entry. */
  isDropped = false;
  /** Already in the list of the next report. */
  isDirty = false;
  /** Valid uses since the last report. */
  valid = 0;
  /** Sum of the costs of these uses, minus their number. */
  extraCost = 0;
  /** Refusals since the last report, by outcome; null if there were none. */
  refusals: Partial<Record<Exclude<KeyOutcome, 'valid'>, number>> | null = null;
  /** For the owner of the cache: what it computes once per key, such as the rendered response of an edge. */
  prepared: object | null = null;

  /** `requestedAt`: when the server was asked, on the monotonic clock. */
  constructor(leased: LeasedKey, requestedAt: number, quotas: Quotas | null) {
    const { record, expiresInMs, allowedIPs, planId, customer } = leased;
    const { permissions } = record;
    this.accepted = { valid: true, allowed: true, record, rateLimit: null };
    this.quotas = quotas;
    this.groups = [record.projectId, planId, customer].filter((each) => each !== undefined);
    this.expiresAt = expiresInMs === null ? null : requestedAt + expiresInMs;
    // A range that this version cannot read allows no address.
    this.allowedIPs = allowedIPs?.flatMap((text) => parseAddressRange(text) ?? []) ?? null;
    this.grants = permissions === undefined ? NO_GRANTS : new Grants(permissions);
  }

  get record(): ValidatedKey {
    return this.accepted.record;
  }

  // The server leases only keys that are active and have started, and announces when that changes.
  get project(): CheckedKey['project'] {
    return ACTIVE;
  }

  get isActive(): boolean {
    return true;
  }

  get startsAt(): null {
    return null;
  }

  get allowedDomains(): readonly string[] | null {
    return this.record.allowedDomains;
  }

  /** The first check that fails, limits and credits aside; null if all pass. */
  refusal(
    conditions: Conditions,
    now: number,
  ): (Refused & { readonly code: KeyRefusalCode }) | null {
    const code = checkKey(this, conditions, now);
    if (code === null) return null;
    if (code !== 'permission_denied') return refused(code, null);
    return refused(code, null, { missing: missing(conditions.requirement!, this.grants) });
  }
}

const ACTIVE = { isActive: true };
