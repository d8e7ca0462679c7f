import type { Principal } from './authority.ts';

/** Who makes a change and from where: what the audit row tells of a call. */
export interface Actor {
  readonly principal: Principal;
  readonly requestId: string;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
}
