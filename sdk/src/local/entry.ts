import type { ValidatedKey } from '../generated/api-types.ts';
import type { Accepted } from '../validation/outcome.ts';
import type { Lease } from './lease.ts';

/** Outcomes that are decided locally. */
export type LocalOutcome = 'valid' | 'rate_limited' | 'expired' | 'domain_denied';

/** A cached key that this process validates. It does not contain the key's value. */
export class Entry {
  readonly accepted: Accepted;
  /** On the monotonic clock; infinite for a key that does not expire. */
  readonly expiresAt: number;
  /** Null for a key without a limit. */
  readonly lease: Lease | null;
  /** No limit, expiry or domains: valid as long as it is cached. One field is faster to read than five. */
  readonly isPlain: boolean;
  /** Set when the key changed: remaining references must not use the entry. */
  isDropped = false;
  /** Already in the list of the next report. */
  isDirty = false;
  valid = 0;
  rateLimited = 0;
  expired = 0;
  domainDenied = 0;

  constructor(record: ValidatedKey, expiresAt: number, lease: Lease | null) {
    this.accepted = { valid: true, allowed: true, record, rateLimit: null };
    this.expiresAt = expiresAt;
    this.lease = lease;
    this.isPlain =
      lease === null && expiresAt === Number.POSITIVE_INFINITY && !record.allowedDomains;
  }

  get record(): ValidatedKey {
    return this.accepted.record;
  }
}
