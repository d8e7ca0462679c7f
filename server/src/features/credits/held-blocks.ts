import { MARGIN_MS } from '@keyward/rules/credits/blocks.ts';
import { dayOf, type Pool } from '@keyward/rules/credits/pool.ts';
import type { ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { type BlockUse, writeSpent } from './block-store.ts';
import { BLOCK_LIFE_MS, changeOf, type Drawn, drawBlock, type LeaseRequest } from './drawing.ts';
import { type CreditPool, HeldBlock } from './held-block.ts';
import { returnBlocks } from './store.ts';

/** A block is extended, or returned if it was not used, after this time. */
const RENEW_MS = 4_000;
/**
 * A crash loses at most this many milliseconds of use. If use has not been stored for this long, nothing
 * more is granted until it is stored.
 */
export const UNSTORED_MS_MAX = 250;
/** While other nodes hold blocks or a plan may give refills, an empty pool is read again after this time. */
const EMPTY_MS = 1_000;
/** With several nodes: the size of a node's first block of a pool, and the minimum of its later blocks. */
const FIRST_BLOCK = 100;
const BLOCK_MIN = 10;
/** Draws that a flush starts: at midnight, each pool in use needs one. */
const DRAWS_AT_ONCE = 500;
/** Maximum size of `#resets`. A reservation is put back within moments, so older entries are not needed. */
const RESETS_MAX = 10_000;

export interface HeldBlocksParts {
  readonly storage: Storage;
  readonly bus: ChangeBus;
  readonly clock: Clock;
  readonly ids: MakeId;
  /** Identifies the blocks of this node. */
  readonly node: string;
  /** How many nodes share the pools; null: this is the only node, which draws everything. */
  readonly nodes: (() => number) | null;
  readonly onError: (error: unknown) => void;
}

/** Identifies the block that a reservation was taken from. */
export interface ReservedFrom {
  /** When a grant expires or a refill happens. Later, nothing is put back: it would have expired. */
  readonly changesAt?: number;
  readonly block?: Pick<HeldBlock, 'resetCountAtCreation'>;
}

/**
 * The blocks of this node. Draws and extends them, stores what was spent of them and returns them to
 * their pools. Only pools in use are in memory.
 *
 * If the response to a transaction is lost, the node does not know whether its block was returned. So the
 * use of a block is stored before the block is returned. If a return or a change of the pool fails, the
 * block is not used until its row has been read again. If a draw fails, the node goes on spending the rest
 * of the block, without the credits that the draw was to give back. This lasts at most 250 ms, because the
 * use must be stored by then.
 */
export class HeldBlocks {
  readonly #parts: HeldBlocksParts;
  readonly #held = new Map<string, HeldBlock>();
  #flushing: Promise<void> | null = null;
  #lastNumber = 0;
  /**
   * When this node last received a change that may have given refills to a plan, or another plan to an owner.
   */
  #plansChangedAt = 0;
  /** Number of `set` changes on this node so far. */
  #resetCount = 0;
  /** By pool name: the number of its latest `set`. Only the most recent pools are kept. */
  readonly #resets = new Map<string, number>();
  /** Blocks drawn or extended since the start. */
  draws = 0;
  /** Nothing may be spent after this time, until the use so far is stored. */
  usableUntil: number;

  constructor(parts: HeldBlocksParts) {
    this.#parts = parts;
    this.usableUntil = parts.clock() + UNSTORED_MS_MAX;
    parts.bus.subscribe((changes) => {
      for (const change of changes)
        if (change.kind === 'credits') this.#held.get(change.pool)?.forget();
        else {
          if (change.kind === 'everything') for (const held of this.#held.values()) held.forget();
          this.#plansChangedAt = parts.clock();
        }
    });
  }

  get size(): number {
    return this.#held.size;
  }

  get(name: string): HeldBlock | undefined {
    return this.#held.get(name);
  }

  getOrCreate(pool: CreditPool): HeldBlock {
    let held = this.#held.get(pool.name);
    if (held === undefined) {
      held = new HeldBlock(pool, this.#parts.clock(), this.#resetCount);
      this.#held.set(pool.name, held);
    }
    return held;
  }

  delete({ pool }: HeldBlock): void {
    this.#held.delete(pool.name);
  }

  /** Records that the balance was set. What was reserved before is then not put back. */
  reset({ name }: CreditPool): void {
    this.#resets.delete(name);
    this.#resets.set(name, ++this.#resetCount);
    if (this.#resets.size > RESETS_MAX) this.#resets.delete(this.#resets.keys().next().value!);
  }

  #isReset({ name }: CreditPool, block: ReservedFrom['block']): boolean {
    return block !== undefined && (this.#resets.get(name) ?? 0) > block.resetCountAtCreation;
  }

  /** Undoes a reservation. */
  putBack(pool: CreditPool, cost: number, reserved: ReservedFrom): void {
    const { changesAt = Number.POSITIVE_INFINITY, block } = reserved;
    if (cost === 0 || this.#isReset(pool, block) || changesAt <= this.#parts.clock()) return;
    const held = this.#held.get(pool.name);
    if (held !== undefined && held.number !== 0) {
      held.spent -= cost;
      return;
    }
    // The block was returned meanwhile: the credits go to the next block.
    this.#drawAny(pool)
      .then((isOpen) => isOpen && this.putBack(pool, cost, reserved))
      .catch(this.#parts.onError);
  }

  /** The transactions in progress that store the use of a pool. */
  pendingWrites({ name }: CreditPool): Promise<unknown> | null {
    const busy = this.#held.get(name)?.busy ?? null;
    return this.#flushing === null && busy === null
      ? null
      : Promise.allSettled([this.#flushing, busy]);
  }

  /** Stores what was spent, extends the blocks in use and returns the others. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushOnce().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Waits for the flush in progress. */
  async flushed(): Promise<void> {
    await this.#flushing?.catch(() => {});
  }

  /** Waits for the transactions in progress. */
  async transactionsDone(): Promise<void> {
    await this.flushed();
    await Promise.allSettled([...this.#held.values()].map(({ busy }) => busy));
  }

  /** Returns all blocks. Nothing may be reserved any more. */
  async returnAll(): Promise<void> {
    await this.transactionsDone();
    await this.storeSpent([...this.#held.values()]);
    await Promise.all([...this.#held.values()].filter(isLost).map((held) => this.draw(held, 0)));
    await this.#return([...this.#held.values()]);
  }

  /**
   * Forgets a block that was returned when `spentAtRead` credits of it were spent. Credits that were put back
   * since then go to the next block.
   */
  drop(held: HeldBlock, spentAtRead: number): void {
    this.#held.delete(held.pool.name);
    this.putBack(held.pool, spentAtRead - held.spent, {
      changesAt: held.changesAt,
      block: held,
    });
  }

  /** Runs a transaction on a pool. Callers first wait for `held.busy`: there is one at a time. */
  async exclusively<T>(held: HeldBlock, work: () => Promise<T>): Promise<T> {
    const running = work();
    held.busy = running;
    try {
      return await running;
    } finally {
      held.busy = null;
    }
  }

  /**
   * Draws or extends the block, so that it has at least `cost` unspent credits if that many are left. With
   * `lease`, also leases credits to a client. Null: the pool does not exist.
   */
  draw(held: HeldBlock, cost: number, lease: LeaseRequest | null = null): Promise<Drawn | null> {
    return this.exclusively(held, async () => {
      // A flush that is still running could overwrite the use of a new block.
      await this.flushed();
      // Flushes skip this block until the transaction has stored its use, so the later `usableUntil` that they
      // set for all blocks must not apply to it.
      held.usableUntil = Math.min(held.usableUntil, this.usableUntil);
      const { storage, clock, ids, bus, node, nodes } = this.#parts;
      // To lease credits, the node needs no block of its own.
      const wanted = lease !== null && held.amount === 0 ? 0 : this.#wanted(held, clock());
      const leased = Math.min(held.left, lease?.wanted ?? 0);
      const surplus = Math.max(0, leased, held.left - 2 * wanted);
      // The transaction gives the surplus back, so it must not be spent any more. If the transaction fails,
      // the row of the block still has the surplus, and the next draw reads the row.
      held.amount -= surplus;
      const draw = { node, wanted, needed: cost, share: 1 / Math.max(1, nodes?.() ?? 1) };
      const drawn = await storage.transaction((tx) => {
        const now = clock();
        this.#lastNumber = Math.max(now, this.#lastNumber + 1);
        const wanted = { ...draw, number: this.#lastNumber, surplus, lease };
        return drawBlock(tx, bus, held, wanted, { now, makeId: () => ids('gr') });
      });
      if (drawn === null) {
        this.#held.delete(held.pool.name);
        return null;
      }
      if (drawn.invalidations.length > 0) {
        const plansChangedAt = this.#plansChangedAt;
        bus.publish(drawn.invalidations);
        // Publishing also calls the subscriber in the constructor, which set the time. A new pool changes no plan.
        this.#plansChangedAt = plansChangedAt;
      }
      this.draws++;
      held.update(drawn.pool, drawn, drawn.now);
      this.#setTimes(held, drawn.pool, drawn.now);
      // Flushes have skipped the block, so what was spent since the transaction read the block is not stored.
      const isStored = held.spent === held.storedSpent;
      held.storeBy = isStored ? Number.POSITIVE_INFINITY : drawn.now + UNSTORED_MS_MAX;
      return drawn;
    });
  }

  /** Draws a block if there is none. False: the pool does not exist. */
  async #drawAny(pool: CreditPool): Promise<boolean> {
    for (;;) {
      const held = this.getOrCreate(pool);
      if (held.busy !== null) await held.busy.catch(() => {});
      else if (held.number !== 0) return true;
      else if (!(await this.draw(held, 0))) return false;
    }
  }

  /** The credits that the block should have: on a single node everything, otherwise twice the recent use. */
  #wanted(held: HeldBlock, now: number): number {
    if (this.#parts.nodes === null) return Number.POSITIVE_INFINITY;
    if (held.number === 0) return FIRST_BLOCK;
    return Math.max(BLOCK_MIN, 2 * held.useIn(RENEW_MS, now));
  }

  #setTimes(held: HeldBlock, pool: Pool, now: number): void {
    const { node, nodes } = this.#parts;
    const changesAt = changeOf(pool);
    held.changesAt = changesAt;
    // A single node returns its block only when it is idle.
    held.lentUntil =
      nodes === null ? changesAt : Math.min(now + BLOCK_LIFE_MS - MARGIN_MS, changesAt);
    held.usableUntil = held.left === 0 ? changesAt : held.lentUntil;
    const mayChange = held.mayGetRefills || pool.blocks.some((block) => block.node !== node);
    held.knownUntil = mayChange ? Math.min(changesAt, this.#parts.clock() + EMPTY_MS) : changesAt;
  }

  async #flushOnce(): Promise<void> {
    const { clock } = this.#parts;
    const now = clock();
    await this.storeSpent([...this.#held.values()].filter(({ busy }) => busy === null));
    this.usableUntil = now + UNSTORED_MS_MAX;
    const isIdle = ({ usedAt }: HeldBlock) => now - usedAt >= RENEW_MS || now < usedAt;
    await this.#return([...this.#held.values()].filter(isIdle));
    this.#extend(now);
  }

  async storeSpent(all: readonly HeldBlock[]): Promise<void> {
    const used = all.filter(({ spent, storedSpent }) => spent !== storedSpent);
    if (used.length === 0) return;
    const uses = used.map(useOf);
    const { storage, node } = this.#parts;
    const stored = await storage.transaction((tx) =>
      writeSpent(tx, node, uses, this.#parts.clock()),
    );
    for (const [n, held] of used.entries())
      if (stored.has(held.pool.name)) {
        held.storedSpent = uses[n]!.spent;
        held.storeBy = Number.POSITIVE_INFINITY;
      } else {
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
    const returning = storage.transaction((tx) =>
      returnBlocks(tx, node, uses, this.#parts.clock()),
    );
    for (const held of idle) held.busy = returning;
    try {
      const returned = await returning;
      for (const [n, held] of idle.entries())
        if (returned.has(held.pool.name)) this.drop(held, uses[n]!.spent);
        else if (held.spent === held.storedSpent) this.#held.delete(held.pool.name);
        else held.isLost = true;
    } finally {
      for (const held of idle) held.busy = null;
    }
  }

  /**
   * Starts draws: they extend blocks that are 4 s old or half spent, pick up refills that were added to a plan,
   * and count the use of lost blocks.
   */
  #extend(now: number): void {
    const isAlone = this.#parts.nodes === null;
    const today = dayOf(now);
    const isDue = (held: HeldBlock) => {
      // At midnight, what was spent is deducted from the pool: it is a line of the statement for each day.
      if (held.isLost || (held.number !== 0 && held.day < today)) return true;
      if (held.left <= 0 && held.drawable <= 0) return false;
      const isOld = now - held.drawnAt >= RENEW_MS;
      // A single node has drawn everything and learns of all changes, so it looks only for new refills.
      return isAlone
        ? isOld && held.mayGetRefills && held.drawnAt <= this.#plansChangedAt
        : isOld || held.left < held.leftWhenDrawn / 2;
    };
    const due = [...this.#held.values()]
      .filter((held) => held.busy === null && isDue(held))
      .slice(0, DRAWS_AT_ONCE);
    // Not awaited: `draw` waits for the running flush, so awaiting it here would deadlock.
    for (const held of due) this.draw(held, 0).catch(() => {});
  }
}

const isLost = (held: HeldBlock): boolean => held.isLost;

const useOf = ({ pool: owner, number, spent }: HeldBlock): BlockUse => ({ owner, number, spent });
