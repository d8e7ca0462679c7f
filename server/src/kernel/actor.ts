import type { Principal } from './authority.ts';

/** Who makes a request and from where, for the audit log; and the condition of the request, if any. */
export interface Actor {
  readonly principal: Principal;
  readonly requestId: string;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
  /** From `If-Match`: the resource is changed only if this is still its `updatedAt`. */
  readonly expectedUpdatedAt?: string;
}
