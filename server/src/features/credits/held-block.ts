import { freeCredits, type Holding } from '@keyward/rules/credits/blocks.ts';
import { type Block, balanceOf, dayOf, noticeAt } from '@keyward/rules/credits/pool.ts';
import type { PlanCredits } from './plan-credits.ts';
import { type PoolOwner, poolName } from './pool-owner.ts';
import type { StoredPool } from './pool-row.ts';
import type { UnstoredUse } from './record.ts';

/** The pool that a key takes credits from. */
export interface CreditPool extends PoolOwner {
  readonly name: string;
  /** The plan that opens the pool at its first use. Null: no plan opens it, or it exists already. */
  readonly plan: (PlanCredits & { readonly id: string }) | null;
}

export const creditPool = (owner: PoolOwner, plan: CreditPool['plan'] = null): CreditPool => ({
  ...owner,
  name: poolName(owner),
  plan,
});

/** What this node knows about one pool: its own block, and the rest of the pool as it was last read. */
export class HeldBlock {
  readonly pool: CreditPool;
  /** How many times this node had set the balance of any pool when this object was created. */
  readonly resetCountAtCreation: number;
  /** Number of the block; 0: none was drawn yet. */
  number = 0;
  /** Credits of the block. */
  amount = 0;
  /** Credits spent from the block, including use that is not stored yet. */
  spent = 0;
  storedSpent = 0;
  nextRefillAt: number | null = null;
  /** Credits may be taken from the block until this time. */
  usableUntil = 0;
  /** As `usableUntil` was when the block was drawn or extended. */
  lentUntil = 0;
  /** When the pool next changes by itself: a grant expires, or a refill happens. */
  changesAt = 0;
  /** More was spent than there was: nothing is granted, not even a cost of 0. */
  isInDebt = false;
  /** The UTC day on which the pool was last read: the use of another day is another line of the statement. */
  day = 0;
  /**
   * Deadline for storing what was spent during a draw. After the deadline, nothing is spent until that use
   * is stored. Infinity: there is no such use.
   */
  storeBy = Number.POSITIVE_INFINITY;
  /** Credits that could be drawn when the pool was last read. */
  drawable = 0;
  /** Before this time, `drawable` may be used to refuse requests without reading the pool again. */
  knownUntil = 0;
  /** Balance of the pool without this block. */
  elsewhere = 0;
  /** As in the pool when it was last read. */
  startingBalance: number | null = null;
  /** The balance at which a notice is due; -1: none is. */
  noticeAt = -1;
  usedAt: number;
  drawnAt = 0;
  spentWhenDrawn = 0;
  leftWhenDrawn = 0;
  /** The transaction in progress on this pool; there is at most one at a time. */
  busy: Promise<unknown> | null = null;
  /**
   * The row of the block is gone, usually because another node returned it. The next draw deducts unstored
   * use.
   */
  isLost = false;
  /** The pool has no refills, but will have them if its plan gets refills. */
  mayGetRefills = false;

  constructor(pool: CreditPool, now: number, resetCountAtCreation: number) {
    this.pool = pool;
    this.usedAt = now;
    this.resetCountAtCreation = resetCountAtCreation;
  }

  get left(): number {
    return this.amount - this.spent;
  }

  get balance(): number {
    return Math.max(0, this.left + this.elsewhere);
  }

  get holding(): Holding | null {
    const { number, spent, storedSpent, lentUntil: usableUntil } = this;
    return number === 0 ? null : { number, spent, storedSpent, usableUntil };
  }

  get unstored(): UnstoredUse {
    return { amount: this.spent - this.storedSpent, usedBy: this.lentUntil };
  }

  /** Changes whenever use is stored. */
  get storedState(): string {
    return `${this.number} ${this.storedSpent}`;
  }

  /** Credits that are used in `ms` at the rate since the last draw. */
  useIn(ms: number, now: number): number {
    const passed = Math.max(250, now - this.drawnAt);
    return Math.ceil(((this.spent - this.spentWhenDrawn) * ms) / passed);
  }

  /** The pool has changed: read it again before the next refusal. */
  forget(): void {
    this.knownUntil = 0;
  }

  /** Grants and refuses nothing until the next draw. */
  freeze(): void {
    this.usableUntil = 0;
    this.knownUntil = 0;
  }

  /** Applies the result of a draw. `spentAtRead`: `spent` when the transaction read it. */
  update(
    pool: StoredPool,
    { block, isNew, spentAtRead }: { block: Block; isNew: boolean; spentAtRead: number },
    now: number,
  ): void {
    this.number = block.number;
    this.amount = block.amount;
    // `spentAtRead` is stored already. A new block starts with what was spent after that.
    if (isNew) this.spent -= spentAtRead;
    this.storedSpent = block.spent;
    this.nextRefillAt = pool.nextRefillAt;
    this.mayGetRefills = pool.planId !== null && pool.nextRefillAt === null;
    this.drawable = freeCredits(pool, now);
    this.isInDebt = pool.overdrawn > 0;
    this.day = dayOf(now);
    this.elsewhere = balanceOf(pool) - (block.amount - block.spent);
    this.startingBalance = pool.startingBalance;
    this.noticeAt = noticeAt(pool);
    this.drawnAt = now;
    this.spentWhenDrawn = this.spent;
    this.leftWhenDrawn = this.left;
    this.isLost = false;
  }
}
