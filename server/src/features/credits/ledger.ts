import { balanceElsewhere, withoutOwnBlock } from '@keyward/rules/credits/blocks.ts';
import { balanceOf, type Context, noticeAt } from '@keyward/rules/credits/pool.ts';
import { broughtUpToDate } from '@keyward/rules/credits/time.ts';
import { StorageUnavailable, type Tx } from '../../storage/index.ts';
import { endLease, type LeaseRequest } from './drawing.ts';
import { type CreditPool, creditPool, type HeldBlock } from './held-block.ts';
import {
  HeldBlocks,
  type HeldBlocksParts,
  type ReservedFrom,
  UNSTORED_MS_MAX,
} from './held-blocks.ts';
import { type PoolOwner, poolName } from './pool-owner.ts';
import type { StoredPool } from './pool-row.ts';
import type { UnstoredUse } from './record.ts';
import { readStatement, type StatementQuery } from './statement.ts';
import { readBalance, readPool, writePool } from './store.ts';

/** Twice as often as needed, so that no request waits if a write takes less than 125 ms. */
const FLUSH_EVERY_MS = UNSTORED_MS_MAX / 2;
/**
 * Attempts to read a balance at a moment when no flush is running. After the last attempt, the balance may be
 * off by the credits that are being stored.
 */
const READS_MAX = 10;

export interface Reservation {
  readonly isGranted: boolean;
  /** Credits left in the pool, as far as this node knows. */
  readonly remaining: number;
  readonly nextRefillAt: number | null;
  readonly changesAt?: number;
  /** A notice about what is left may be due: see `takeNotice`. */
  readonly isLow?: boolean;
  /** The block that granted or refused the credits. */
  readonly block?: HeldBlock;
}

/** A notice that few credits are left in a pool, or none. */
export interface CreditNotice {
  readonly projectId: string;
  readonly ownerType: PoolOwner['ownerType'];
  readonly owner: string;
  readonly isExhausted: boolean;
  readonly remaining: number;
  readonly startingBalance: number;
}

export interface EndedLease {
  /** Unused credits that went back to the pool; 0 if the lease had ended already. */
  readonly returned: number;
  /** The notice that is due, if any. */
  readonly notice: CreditNotice | null;
}

/** Credits leased to a client. */
export interface CreditLease {
  /** 0: fewer credits were left than the client needed. */
  readonly granted: number;
  readonly endsAt: number;
  /** Credits left in the pool, including the leased ones. */
  readonly remaining: number;
  readonly nextRefillAt: number | null;
}

/** A pool within a change: read once, then written. */
export interface PoolAccess {
  /** Locks the pool, returns the block of this node to it, and refills the pool if a refill is due. */
  read(tx: Tx, now: number): Promise<StoredPool | null>;
  write(tx: Tx, after: StoredPool, now: number): Promise<void>;
  context(now: number): Context;
  /** To be called if the balance is replaced: what requests have reserved before is then not put back. */
  reset(): void;
}

/**
 * Takes credits from pools (docs/decisions/0059-limits-and-credits.md). Requests are paid from a block
 * in memory, which was drawn from the pool in a durable transaction. `flush`, eight times a second,
 * stores what was spent, extends the blocks in use and returns the others.
 */
export class CreditLedger {
  readonly #parts: HeldBlocksParts;
  readonly #blocks: HeldBlocks;
  #timer: NodeJS.Timeout | undefined;
  /** Requests refused since the start. */
  refusals = 0;

  constructor(parts: HeldBlocksParts) {
    this.#parts = parts;
    this.#blocks = new HeldBlocks(parts);
  }

  start(): void {
    const flush = () => this.flush().catch(this.#parts.onError);
    this.#timer = setInterval(flush, FLUSH_EVERY_MS).unref();
  }

  /** Returns all blocks. Nothing may be reserved any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#blocks.returnAll();
  }

  /** Stores what was spent, extends the blocks in use and returns the others. */
  flush(): Promise<void> {
    return this.#blocks.flush();
  }

  /** Waits for the transactions in progress. */
  transactionsDone(): Promise<void> {
    return this.#blocks.transactionsDone();
  }

  /** What changes of a pool need. */
  context(now: number): Context {
    return { now, makeId: () => this.#parts.ids('gr') };
  }

  /** Pools in memory. */
  get size(): number {
    return this.#blocks.size;
  }

  /** Blocks drawn or extended since the start. */
  get draws(): number {
    return this.#blocks.draws;
  }

  /**
   * Takes `cost` credits, or none if there are fewer. Waits for the database only if the block in
   * memory does not suffice or may not be used now. Null: the pool no longer exists.
   */
  reserve(pool: CreditPool, cost: number, now: number): Reservation | Promise<Reservation | null> {
    return this.#reserveFromMemory(pool, cost, now) ?? this.#reserveFromStorage(pool, cost);
  }

  /** Undoes a reservation. */
  putBack(pool: CreditPool, cost: number, reservation: ReservedFrom): void {
    this.#blocks.putBack(pool, cost, reservation);
  }

  /** The stored pool and this node's unstored use, read at the same moment. */
  async read(
    pool: CreditPool,
    now: number,
  ): Promise<{ readonly stored: StoredPool | null; readonly unstored: UnstoredUse }> {
    for (let tries = 1; ; tries++) {
      await this.#blocks.pendingWrites(pool);
      const before = this.#blocks.get(pool.name)?.storedState;
      const stored = await readBalance(this.#parts.storage.point, pool, now);
      const held = this.#blocks.get(pool.name);
      const isUnchanged = held?.storedState === before && this.#blocks.pendingWrites(pool) === null;
      if (isUnchanged || tries === READS_MAX) return { stored, unstored: this.unstored(pool) };
    }
  }

  /** What other nodes have not recorded yet is missing: at most their last 250 ms. */
  async statement(owner: PoolOwner, query: StatementQuery, now: number) {
    await this.flush();
    return readStatement(this.#parts.storage, owner, query, now);
  }

  /**
   * The pool minus the credits that this node has spent but not yet stored, read in a transaction. This must
   * not wait for a flush in another transaction. So the stored amount comes from the row of the block, which
   * may be ahead of what this node knows.
   */
  async readIn(tx: Tx, owner: PoolOwner, now: number): Promise<StoredPool | null> {
    const stored = await readPool(tx, owner, now);
    const holding = this.#blocks.get(poolName(owner))?.holding ?? null;
    return stored && withoutOwnBlock(stored, this.#parts.node, holding, now);
  }

  /** Returns the notice that is due, once. The row of the pool decides whether another node has sent it. */
  takeNotice(pool: CreditPool): CreditNotice | null {
    const held = this.#blocks.get(pool.name);
    const notice = held === undefined ? null : dueNotice(pool, held);
    if (notice !== null) held!.noticeAt = notice.isExhausted ? -1 : 0;
    return notice;
  }

  /**
   * Leases credits to a client, which spends them without further requests. The lease is stored, as a block
   * of its own, before this resolves. Null: the pool no longer exists.
   */
  async lease(pool: CreditPool, request: LeaseRequest): Promise<CreditLease | null> {
    for (;;) {
      const held = this.#blocks.getOrCreate(pool);
      if (held.busy !== null) {
        await waitForTransaction(held.busy);
        continue;
      }
      const drawn = await this.#blocks.draw(held, 0, request);
      if (drawn === null) return null;
      const lease = drawn.pool.blocks.find(({ node }) => node === request.id);
      const { balance: remaining, nextRefillAt } = held;
      return { granted: lease?.amount ?? 0, endsAt: lease?.endsAt ?? 0, remaining, nextRefillAt };
    }
  }

  /** Ends a lease, once: its unused credits return to the pool. */
  async endLease(owner: PoolOwner, id: string, unused: number): Promise<EndedLease> {
    const { storage, clock, node } = this.#parts;
    const ended = await storage.transaction((tx) => endLease(tx, owner, { id, unused }, clock()));
    if (ended === null) return { returned: 0, notice: null };
    const { pool, returned } = ended;
    const held = this.#blocks.get(poolName(owner));
    if (held !== undefined) held.elsewhere = balanceElsewhere(pool, node);
    if (returned > 0) held?.forget();
    const { startingBalance } = pool;
    const known = {
      balance: Math.max(0, balanceOf(pool)),
      startingBalance,
      noticeAt: noticeAt(pool),
    };
    return { returned, notice: dueNotice(owner, known) };
  }

  /** Credits of the pool that this node has granted, but not yet stored as spent. */
  unstored(owner: PoolOwner): UnstoredUse {
    return this.#blocks.get(poolName(owner))?.unstored ?? { amount: 0, usedBy: 0 };
  }

  /** Runs a change of a pool. Meanwhile this node grants nothing from it. */
  async change<T>(owner: PoolOwner, work: (access: PoolAccess) => Promise<T>): Promise<T> {
    const pool = creditPool(owner);
    let held = this.#blocks.getOrCreate(pool);
    while (held.busy !== null) {
      await held.busy.catch(() => {});
      held = this.#blocks.getOrCreate(pool);
    }
    return this.#blocks.exclusively(held, () => this.#changeFrozen(held, work));
  }

  async #changeFrozen<T>(held: HeldBlock, work: (access: PoolAccess) => Promise<T>): Promise<T> {
    const { node } = this.#parts;
    held.freeze();
    let stored: StoredPool | null = null;
    let isRead = false;
    let isReset = false;
    let spentAtRead = 0;
    const access: PoolAccess = {
      read: async (tx, now) => {
        stored = await readPool(tx, held.pool, now);
        isRead = true;
        spentAtRead = held.spent;
        return (
          stored &&
          broughtUpToDate(withoutOwnBlock(stored, node, held.holding, now), this.context(now), node)
        );
      },
      context: (now) => this.context(now),
      write: (tx, after, now) => writePool(tx, held.pool, stored!, after, now),
      reset: () => {
        isReset = true;
      },
    };
    try {
      await this.#blocks.flushed();
      await this.#blocks.storeSpent([held]);
      const result = await work(access);
      if (isReset) this.#blocks.reset(held.pool);
      if (isRead) this.#blocks.drop(held, spentAtRead);
      return result;
    } finally {
      if (held.number === 0) this.#blocks.delete(held);
    }
  }

  #reserveFromMemory(pool: CreditPool, cost: number, now: number): Reservation | null {
    const held = this.#blocks.get(pool.name);
    if (held === undefined) return null;
    held.usedAt = now;
    if (held.isInDebt && now < held.knownUntil) {
      this.refusals++;
      return reservation(held, false);
    }
    if (
      !held.isInDebt &&
      now < held.usableUntil &&
      now < this.#blocks.usableUntil &&
      now < held.storeBy &&
      cost <= held.left
    ) {
      held.spent += cost;
      return reservation(held, true);
    }
    if (now < held.knownUntil && cost > held.left + held.drawable) {
      this.refusals++;
      return reservation(held, false);
    }
    return null;
  }

  async #reserveFromStorage(pool: CreditPool, cost: number): Promise<Reservation | null> {
    for (;;) {
      const now = this.#parts.clock();
      const reservation = this.#reserveFromMemory(pool, cost, now);
      if (reservation !== null) return reservation;
      const held = this.#blocks.getOrCreate(pool);
      if (held.busy !== null) await waitForTransaction(held.busy);
      else if (now >= this.#blocks.usableUntil) await this.flush();
      else if ((await this.#blocks.draw(held, cost)) === null) return null;
    }
  }
}

function dueNotice(
  { projectId, ownerType, owner }: PoolOwner,
  {
    balance: remaining,
    startingBalance,
    noticeAt,
  }: Pick<HeldBlock, 'balance' | 'startingBalance' | 'noticeAt'>,
): CreditNotice | null {
  if (startingBalance === null || remaining > noticeAt) return null;
  return { projectId, ownerType, owner, isExhausted: remaining === 0, remaining, startingBalance };
}

const reservation = (held: HeldBlock, isGranted: boolean): Reservation => {
  const { balance: remaining, nextRefillAt, changesAt } = held;
  const isLow = remaining <= held.noticeAt;
  return { isGranted, remaining, nextRefillAt, changesAt, isLow, block: held };
};

/** Waits for the transaction of another request. Ignores its errors, except `StorageUnavailable`. */
const waitForTransaction = (busy: Promise<unknown>): Promise<unknown> =>
  busy.catch((error) => {
    if (error instanceof StorageUnavailable) throw error;
  });
