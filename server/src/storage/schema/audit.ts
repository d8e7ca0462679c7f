import type { Generated } from 'kysely';
import type { Immutable } from './columns.ts';

export interface AuditLogTable {
  seq: Generated<number>;
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string | null>;
  actor_type: Immutable<string>;
  actor_id: Immutable<string>;
  action: Immutable<string>;
  target_type: Immutable<string>;
  target_id: Immutable<string>;
  before: Immutable<string | null>;
  after: Immutable<string | null>;
  request_id: Immutable<string | null>;
  client_address: Immutable<string | null>;
  user_agent: Immutable<string | null>;
  created_at: Immutable<number>;
}

/** The chain over the audit log, see docs/decisions/0011-audit-chain.md. */
export interface AuditSealsTable {
  /**
   * Position in the chain of the last row it seals. Rows are numbered from 1 in the order of sealing, without
   * gaps.
   */
  position: Immutable<number>;
  audit_seq: Immutable<number>;
  hash: Immutable<string>;
  sealed_at: Immutable<number>;
  /** `seq hash` of each row before the last, in order, one per line; null if there is none. */
  links: Immutable<string | null>;
}
