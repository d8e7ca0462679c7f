import type { ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Storage, StorageUnavailable, type Tx } from '../../storage/index.ts';
import { BLOCK_LIFE_MS, type Drawn, drawBlock, endLease, type LeaseRequest } from './drawing.ts';
import { type CreditPool, creditPool, HeldBlock } from './held-block.ts';
import {
  balanceElsewhere,
  balanceOf,
  noticeAt,
  type Pool,
  settled,
  withoutOwnBlock,
} from './pool.ts';
import {
  type BlockUse,
  type PoolOwner,
  poolName,
  readBalance,
  readPool,
  returnBlocks,
  type StoredPool,
  writePool,
  writeSpent,
} from './store.ts';

/** A node stops using its block so long before the end: clocks may differ. */
const MARGIN_MS = 2_000;
/** A block is extended, or returned if it was not used, after this time. */
const RENEW_MS = 4_000;
/** What a crash may forget: use that was not stored for so long stops further use until it is. */
const UNSTORED_MS_MAX = 250;
/** Twice as often, so that requests do not wait while a write takes up to 125 ms. */
const FLUSH_EVERY_MS = UNSTORED_MS_MAX / 2;
/** While other nodes hold blocks, an empty pool is read again after this time. */
const EMPTY_MS = 1_000;
/** Credits of the first block of a node among others, and the fewest of later ones. */
const FIRST_BLOCK = 100;
const BLOCK_MIN = 10;
/** While the use of a pool is stored all the time, its balance may be off by what is being stored. */
const READS_MAX = 10;

export interface Reservation {
  readonly isGranted: boolean;
  /** Credits left in the pool, as far as this node knows. */
  readonly remaining: number;
  readonly nextRefillAt: number | null;
  /** A notice about what is left may be due: see `takeNotice`. */
  readonly isLow?: boolean;
}

/** That few credits are left in a pool, or none. */
export interface CreditNotice {
  readonly projectId: string;
  readonly ownerType: PoolOwner['ownerType'];
  readonly owner: string;
  readonly isExhausted: boolean;
  readonly remaining: number;
  readonly figure: number;
}

export interface EndedLease {
  /** Credits that were not used; 0 if the lease had ended already. */
  readonly returned: number;
  /** The notice about what is left that is due, if any. */
  readonly notice: CreditNotice | null;
}

/** Credits lent to a client. */
export interface CreditLease {
  /** 0: there were fewer than needed. */
  readonly granted: number;
  readonly endsAt: number;
  /** Credits left in the pool, these included. */
  readonly remaining: number;
  readonly nextRefillAt: number | null;
}

/** A pool within a change: read once, then written. */
export interface PoolAccess {
  /** Locks the pool, returns the block of this node to it, and refills it if that is due. */
  read(tx: Tx, now: number): Promise<StoredPool | null>;
  write(tx: Tx, after: StoredPool, now: number): Promise<void>;
}

interface Parts {
  readonly storage: Storage;
  readonly bus: ChangeBus;
  readonly clock: Clock;
  /** Identifies the blocks of this node. */
  readonly node: string;
  /** How many nodes share the pools; null: this node is alone, and draws everything there is. */
  readonly nodes: (() => number) | null;
  readonly onError: (error: unknown) => void;
}

/**
 * Takes credits from pools (docs/decisions/0059-limits-and-credits.md). Requests are paid from a block
 * in memory, which was drawn from the pool in a durable transaction. `flush`, eight times a second,
 * stores what was spent, extends the blocks in use and returns the others. Only pools in use are in
 * memory.
 *
 * The response to a transaction may be lost, so it is unknown whether a block was returned. Therefore
 * its use is stored first, and after a failure the block is not used before its row was read again.
 */
export class CreditLedger {
  readonly #parts: Parts;
  readonly #held = new Map<string, HeldBlock>();
  #storedUntil: number;
  #flushing: Promise<void> | null = null;
  #lastNumber = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Blocks drawn or extended, and requests refused, since the start. */
  draws = 0;
  refusals = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#storedUntil = parts.clock() + UNSTORED_MS_MAX;
    parts.bus.subscribe((changes) => {
      for (const change of changes)
        if (change.kind === 'credits') this.#forget(this.#held.get(change.pool));
        else if (change.kind === 'everything')
          for (const held of this.#held.values()) this.#forget(held);
    });
  }

  start(): void {
    const flush = () => this.flush().catch(this.#parts.onError);
    this.#timer = setInterval(flush, FLUSH_EVERY_MS).unref();
  }

  /** Pools in memory. */
  get size(): number {
    return this.#held.size;
  }

  /**
   * Takes `cost` credits, or none if there are fewer. Waits for the database only if the block in
   * memory does not suffice. Null: the pool no longer exists.
   */
  reserve(pool: CreditPool, cost: number, now: number): Reservation | Promise<Reservation | null> {
    return this.#reserveFromMemory(pool, cost, now) ?? this.#reserveFromStorage(pool, cost);
  }

  /** Undoes a reservation. */
  putBack(
    pool: CreditPool,
    cost: number,
    { nextRefillAt }: Pick<Reservation, 'nextRefillAt'>,
  ): void {
    if (cost === 0) return;
    const held = this.#held.get(pool.name);
    if (held !== undefined && held.number !== 0) {
      if (held.nextRefillAt === nextRefillAt) held.spent -= cost;
      return;
    }
    // The block was returned meanwhile: the credits go to the next one.
    this.#drawAny(pool)
      .then((isOpen) => isOpen && this.putBack(pool, cost, { nextRefillAt }))
      .catch(this.#parts.onError);
  }

  /** The pool as stored, and the use of this node that is not: both at the same moment. */
  async read(
    pool: CreditPool,
    now: number,
  ): Promise<{ readonly stored: StoredPool | null; readonly unstored: number }> {
    for (let tries = 1; ; tries++) {
      await this.#writes(pool);
      const before = this.#held.get(pool.name)?.storedState;
      const stored = await readBalance(this.#parts.storage.point, pool, now);
      const held = this.#held.get(pool.name);
      const isStill = held?.storedState === before && this.#writes(pool) === null;
      if (isStill || tries === READS_MAX) return { stored, unstored: this.unstored(pool) };
    }
  }

  /** The transactions in progress that store the use of a pool. */
  #writes({ name }: CreditPool): Promise<unknown> | null {
    const busy = this.#held.get(name)?.busy ?? null;
    return this.#flushing === null && busy === null
      ? null
      : Promise.allSettled([this.#flushing, busy]);
  }

  /** The notice that is due, once. The row of the pool decides whether another node has sent it. */
  takeNotice(pool: CreditPool): CreditNotice | null {
    const held = this.#held.get(pool.name);
    const notice = held === undefined ? null : dueNotice(pool, held);
    if (notice !== null) held!.noticeAt = notice.isExhausted ? -1 : 0;
    return notice;
  }

  /**
   * Lends credits to a client, which spends them without further requests. They are stored as a block
   * of the client before this resolves. Null: the pool no longer exists.
   */
  async lease(pool: CreditPool, request: LeaseRequest): Promise<CreditLease | null> {
    for (;;) {
      const held = this.#open(pool);
      if (held.busy !== null) {
        await settledOrUnavailable(held.busy);
        continue;
      }
      const drawn = await this.#draw(held, 0, request);
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
    const held = this.#held.get(poolName(owner));
    if (held !== undefined) held.elsewhere = balanceElsewhere(pool, node);
    if (returned > 0) this.#forget(held);
    const { figure } = pool;
    const known = { balance: Math.max(0, balanceOf(pool)), figure, noticeAt: noticeAt(pool) };
    return { returned, notice: dueNotice(owner, known) };
  }

  /** Use of the pool that is granted and not yet stored. */
  unstored(owner: PoolOwner): number {
    const held = this.#held.get(poolName(owner));
    return held === undefined ? 0 : held.spent - held.storedSpent;
  }

  /** Runs a change of a pool. Meanwhile this node grants nothing from it. */
  async change<T>(owner: PoolOwner, work: (access: PoolAccess) => Promise<T>): Promise<T> {
    const pool = creditPool(owner);
    let held = this.#open(pool);
    while (held.busy !== null) {
      await held.busy.catch(() => {});
      held = this.#open(pool);
    }
    return this.#exclusively(held, () => this.#changeFrozen(held, work));
  }

  async #changeFrozen<T>(held: HeldBlock, work: (access: PoolAccess) => Promise<T>): Promise<T> {
    const { node } = this.#parts;
    held.freeze();
    let stored: StoredPool | null = null;
    let isRead = false;
    let spentThen = 0;
    const access: PoolAccess = {
      read: async (tx, now) => {
        stored = await readPool(tx, held.pool, now);
        isRead = true;
        spentThen = held.spent;
        return stored && settled(withoutOwnBlock(stored, node, held.holding), now, node);
      },
      write: (tx, after, now) => writePool(tx, held.pool, stored!, after, now),
    };
    try {
      await this.#flushing?.catch(() => {});
      await this.#storeSpent([held]);
      const result = await work(access);
      if (isRead) this.#drop(held, spentThen);
      return result;
    } finally {
      if (held.number === 0) this.#held.delete(held.pool.name);
    }
  }

  /** Stores what was spent, extends the blocks in use and returns the others. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushOnce().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Waits for the transactions in progress. */
  async settle(): Promise<void> {
    await this.#flushing?.catch(() => {});
    await Promise.allSettled([...this.#held.values()].map(({ busy }) => busy));
  }

  /** Returns all blocks. Nothing may be reserved any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.settle();
    await this.#storeSpent([...this.#held.values()]);
    await Promise.all([...this.#held.values()].filter(isLost).map((held) => this.#draw(held, 0)));
    await this.#return([...this.#held.values()]);
  }

  #reserveFromMemory(pool: CreditPool, cost: number, now: number): Reservation | null {
    const held = this.#held.get(pool.name);
    if (held === undefined) return null;
    held.usedAt = now;
    if (now < held.usableUntil && now < this.#storedUntil && cost <= held.left) {
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
      const held = this.#open(pool);
      if (held.busy !== null) await settledOrUnavailable(held.busy);
      else if (now >= this.#storedUntil) await this.flush();
      else if ((await this.#draw(held, cost)) === null) return null;
    }
  }

  #open(pool: CreditPool): HeldBlock {
    let held = this.#held.get(pool.name);
    if (held === undefined) {
      held = new HeldBlock(pool, this.#parts.clock());
      this.#held.set(pool.name, held);
    }
    return held;
  }

  /** The block was returned when `spentThen` was spent; what was put back since follows. */
  #drop(held: HeldBlock, spentThen: number): void {
    this.#held.delete(held.pool.name);
    this.putBack(held.pool, spentThen - held.spent, held);
  }

  /** The pool has changed: read it again before the next refusal. */
  #forget(held: HeldBlock | undefined): void {
    if (held !== undefined) held.knownUntil = 0;
  }

  /** One transaction at a time on a pool. */
  async #exclusively<T>(held: HeldBlock, work: () => Promise<T>): Promise<T> {
    const running = work();
    held.busy = running;
    try {
      return await running;
    } finally {
      held.busy = null;
    }
  }

  /**
   * Draws a block of at least `cost` credits, if there are so many, and lends some to a client. Null: the
   * pool does not exist.
   */
  #draw(held: HeldBlock, cost: number, lease: LeaseRequest | null = null): Promise<Drawn | null> {
    return this.#exclusively(held, async () => {
      // A flush that was sent before could overwrite the use of a new block.
      await this.#flushing?.catch(() => {});
      const { storage, clock, bus, node, nodes } = this.#parts;
      // For a lease alone, the node needs no block of its own.
      const wanted = lease !== null && held.amount === 0 ? 0 : this.#wanted(held, clock());
      const lent = Math.min(held.left, lease?.wanted ?? 0);
      const surplus = Math.max(0, lent, held.left - 2 * wanted);
      // Given back in the transaction, so it must not be spent any more. If the transaction fails, the
      // next one finds it in the row of the block.
      held.amount -= surplus;
      const draw = { node, wanted, needed: cost, share: 1 / Math.max(1, nodes?.() ?? 1) };
      const drawn = await storage.transaction((tx) => {
        const now = clock();
        this.#lastNumber = Math.max(now, this.#lastNumber + 1);
        return drawBlock(tx, bus, held, { ...draw, number: this.#lastNumber, surplus, lease }, now);
      });
      if (drawn === null) {
        this.#held.delete(held.pool.name);
        return null;
      }
      if (drawn.opened.length > 0) bus.publish(drawn.opened);
      this.draws++;
      held.update(drawn.pool, drawn, drawn.now);
      this.#setTimes(held, drawn.pool, drawn.now);
      return drawn;
    });
  }

  /** Makes sure that there is a block. False: the pool does not exist. */
  async #drawAny(pool: CreditPool): Promise<boolean> {
    for (;;) {
      const held = this.#open(pool);
      if (held.busy !== null) await held.busy.catch(() => {});
      else if (held.number !== 0) return true;
      else if (!(await this.#draw(held, 0))) return false;
    }
  }

  /** Alone, everything; otherwise twice the recent use. */
  #wanted(held: HeldBlock, now: number): number {
    if (this.#parts.nodes === null) return Number.POSITIVE_INFINITY;
    if (held.number === 0) return FIRST_BLOCK;
    return Math.max(BLOCK_MIN, 2 * held.useIn(RENEW_MS, now));
  }

  #setTimes(held: HeldBlock, { nextRefillAt, blocks }: Pool, now: number): void {
    const { node, nodes } = this.#parts;
    const refillAt = nextRefillAt ?? Number.POSITIVE_INFINITY;
    // At the refill nothing is returned, so nothing can be spent twice, even if clocks differ.
    const end = now + BLOCK_LIFE_MS >= refillAt ? refillAt : now + BLOCK_LIFE_MS - MARGIN_MS;
    held.usableUntil = nodes === null || held.left === 0 ? refillAt : end;
    const isShared = blocks.some((block) => block.node !== node);
    held.knownUntil = isShared ? Math.min(refillAt, this.#parts.clock() + EMPTY_MS) : refillAt;
  }

  async #flushOnce(): Promise<void> {
    const { clock } = this.#parts;
    const now = clock();
    await this.#storeSpent([...this.#held.values()].filter(({ busy }) => busy === null));
    this.#storedUntil = now + UNSTORED_MS_MAX;
    const isIdle = ({ usedAt }: HeldBlock) => now - usedAt >= RENEW_MS || now < usedAt;
    await this.#return([...this.#held.values()].filter(isIdle));
    this.#extend(now);
  }

  async #storeSpent(all: readonly HeldBlock[]): Promise<void> {
    const used = all.filter(({ spent, storedSpent }) => spent !== storedSpent);
    if (used.length === 0) return;
    const uses = used.map(useOf);
    const { storage, node } = this.#parts;
    const stored = await storage.transaction((tx) => writeSpent(tx, node, uses));
    for (const [n, held] of used.entries())
      if (stored.has(held.pool.name)) held.storedSpent = uses[n]!.spent;
      else {
        held.isLost = true;
        held.usableUntil = 0;
      }
  }

  /** Returns blocks whose use is stored, and forgets their pools. */
  async #return(all: readonly HeldBlock[]): Promise<void> {
    const { storage, node } = this.#parts;
    const idle = all.filter((held) => held.busy === null && held.spent === held.storedSpent);
    if (idle.length === 0) return;
    for (const held of idle) held.freeze();
    const uses = idle.map(useOf);
    const returning = storage.transaction((tx) => returnBlocks(tx, node, uses));
    for (const held of idle) held.busy = returning;
    try {
      const returned = await returning;
      for (const [n, held] of idle.entries())
        if (returned.has(held.pool.name)) this.#drop(held, uses[n]!.spent);
        else if (held.spent === held.storedSpent) this.#held.delete(held.pool.name);
        else held.isLost = true;
    } finally {
      for (const held of idle) held.busy = null;
    }
  }

  /** Extends the blocks that near their end or are half spent, and counts the use of lost ones. */
  #extend(now: number): void {
    const isDue = (held: HeldBlock) =>
      held.isLost ||
      (this.#parts.nodes !== null &&
        (held.left > 0 || held.drawable > 0) &&
        (now - held.drawnAt >= RENEW_MS || held.left < held.leftWhenDrawn / 2));
    const due = [...this.#held.values()].filter((held) => held.busy === null && isDue(held));
    // Not awaited by the flush that they would wait for.
    for (const held of due) this.#draw(held, 0).catch(() => {});
  }
}

function dueNotice(
  { projectId, ownerType, owner }: PoolOwner,
  { balance: remaining, figure, noticeAt }: Pick<HeldBlock, 'balance' | 'figure' | 'noticeAt'>,
): CreditNotice | null {
  if (figure === null || remaining > noticeAt) return null;
  return { projectId, ownerType, owner, isExhausted: remaining === 0, remaining, figure };
}

const isLost = (held: HeldBlock): boolean => held.isLost;

const reservation = (held: HeldBlock, isGranted: boolean): Reservation => {
  const { balance: remaining, nextRefillAt } = held;
  return { isGranted, remaining, nextRefillAt, isLow: remaining <= held.noticeAt };
};

const useOf = ({ pool: owner, number, spent }: HeldBlock): BlockUse => ({ owner, number, spent });

/** Waits for the transaction of another request, whose other errors concern only that request. */
const settledOrUnavailable = (busy: Promise<unknown>): Promise<unknown> =>
  busy.catch((error) => {
    if (error instanceof StorageUnavailable) throw error;
  });
