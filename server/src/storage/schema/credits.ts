import type { Generated } from 'kysely';
import type { Immutable } from './columns.ts';

/** `owner`: the `limit_group` of a key, or the `custom_account_id` of a customer. */
interface CreditOwner {
  project_id: Immutable<string>;
  owner_type: Immutable<'key' | 'customer'>;
  owner: Immutable<string>;
}

/** Prepaid requests, see docs/decisions/0059-limits-and-credits.md. */
export interface CreditPoolsTable extends CreditOwner {
  account_id: Immutable<string>;
  /** Excludes the credits in the blocks of nodes. */
  remaining: number;
  /** To be deducted when blocks are returned. */
  owed: number;
  refill_amount: number | null;
  refill_interval: 'hour' | 'day' | 'week' | 'month' | null;
  refill_timezone: string | null;
  next_refill_at: number | null;
  /** The plan that opened the pool and sets its refills; null: the pool was set by hand. */
  plan_id: string | null;
  /** The balance when credits were last set, added or refilled; null: not changed since this column was added. */
  starting_balance: number | null;
  /** What was announced since then. 0: nothing; 1: `credits.low`; 2: `credits.exhausted`. */
  noticed: Generated<number>;
  created_at: Immutable<number>;
  updated_at: number;
}

/** Credits that a node, or a client with a lease, may spend until `ends_at`. */
export interface CreditBlocksTable extends CreditOwner {
  /** The name of the node, or the id of the lease (`lse_…`). */
  node: Immutable<string>;
  /** Distinguishes the blocks that a node has had of a pool. */
  number: number;
  amount: number;
  spent: number;
  ends_at: number;
}
