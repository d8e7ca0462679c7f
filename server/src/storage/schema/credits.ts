import type { EntryKind } from '@keyward/rules/credits/pool.ts';
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
  /** The balance less what the blocks have not spent; 0 if they have more. */
  remaining: number;
  /** The blocks have more unspent credits than the balance, by this much. */
  owed: number;
  /** JSON: see `PoolState` in features/credits/store.ts. Null: a node that knew no grants has written the row. */
  grants: string | null;
  refill_amount: number | null;
  refill_interval: 'hour' | 'day' | 'week' | 'month' | null;
  refill_timezone: string | null;
  /** From which the intervals of refills are counted; null: the calendar. */
  refill_anchor: number | null;
  next_refill_at: number | null;
  /** The plan that opened the pool and sets its refills; null: the pool was set by hand. */
  plan_id: string | null;
  /** The balance when credits were last set, added or refilled; null: not changed since this column was added. */
  starting_balance: number | null;
  /** What was announced since then. 0: nothing; 1: `credits.low`; 2: `credits.exhausted`. */
  noticed: Generated<number>;
  /** When the next expiry of a grant is announced. */
  expiry_notice_at: number | null;
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
  /** The part of `spent` that was deducted from grants. */
  booked: Generated<number>;
  /** The UTC day of the last use, and what was spent before it. */
  day: Generated<number>;
  spent_before: Generated<number>;
}

/** The statement of a pool: a line for each grant, expiry and adjustment, and for each day of use. */
export interface CreditEntriesTable extends CreditOwner {
  /** Days since 1970, in UTC. */
  day: Immutable<number>;
  kind: Immutable<EntryKind>;
  ref: Immutable<string>;
  amount: number;
  note: string | null;
}
