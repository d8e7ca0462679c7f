import type { Principal } from './authority.ts';

/** Who makes a request and from where, for the audit log. */
export interface Actor {
  readonly principal: Principal;
  readonly requestId: string;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
}
