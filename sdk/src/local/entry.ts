import type { ValidatedKey } from '../generated/api-types.ts';
import type { Accepted } from '../validation/outcome.ts';
import type { Lease } from './lease.ts';

/** How a use can end that is decided here. */
export type LocalOutcome = 'valid' | 'rate_limited' | 'expired' | 'domain_denied';

/** A key that this process answers for. The value itself is not in it. */
export class Entry {
  readonly accepted: Accepted;
  /** On the monotonic clock; infinite for a key that does not expire. */
  readonly expiresAt: number;
  /** Null for a key without a limit. */
  readonly lease: Lease | null;
  /** Nothing to look at: it is valid as long as it is held. One field instead of five far apart. */
  readonly isPlain: boolean;
  /** Set when it was changed: whoever still holds it must not use it. */
  isDropped = false;
  /** In the list of the next report already. */
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
