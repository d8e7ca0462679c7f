import { StorageUnavailable } from '../errors.ts';
import type { StorageThread } from './thread.ts';
import { Turn } from './turn.ts';

/** A group ends when nobody waits, and at the latest at these: the first of it waits for all. */
interface GroupLimits {
  readonly turnsMax: number;
  readonly msMax: number;
}
const GROUP_LIMITS: GroupLimits = { turnsMax: 64, msMax: 5 };

/** How often it is looked whether the active turn takes too long. */
const LOOK_EVERY_MS = 250;

interface Waiter {
  readonly turn: Turn;
  readonly granted: PromiseWithResolvers<void>;
}

/** The transactions that share one physical commit. */
interface Group {
  readonly startedAt: number;
  readonly durable: PromiseWithResolvers<void>;
  turns: number;
}

export interface WriteStats {
  /** Logical transactions that ended with a commit or a rollback. */
  transactions: number;
  /** Physical commits. */
  commits: number;
}

/**
 * Hands the writer to one logical transaction after another, first come, first served:
 *
 *   idle ──enter──▶ a turn is active ──leave, somebody waits──▶ the next turn is active
 *     ▲                     └──leave, nobody waits or the group is full──▶ committing
 *     └───────────────────────── the commit is answered ────────────────────────┘
 *
 * While the writer commits, new turns wait and make the next group.
 */
export class WriteQueue {
  readonly stats: WriteStats = { transactions: 0, commits: 0 };
  readonly #thread: StorageThread;
  readonly #limits: GroupLimits;
  readonly #waiting: Waiter[] = [];
  #active: Turn | undefined;
  #activeSince = 0;
  #watching = false;
  #group: Group | undefined;
  #committing = false;
  #refusal: StorageUnavailable | undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(thread: StorageThread, limits = GROUP_LIMITS) {
    this.#thread = thread;
    this.#limits = limits;
    thread.ended.then((reason) => this.#fail(reason));
  }

  /** Resolves when it is this transaction's turn. */
  async enter(timeoutMs: number): Promise<Turn> {
    if (this.#refusal) throw this.#refusal;
    const waiter = {
      turn: new Turn(this.#thread, timeoutMs),
      granted: Promise.withResolvers<void>(),
    };
    this.#waiting.push(waiter);
    if (!this.#active && !this.#committing) this.#grantNext();
    await waiter.granted.promise;
    return waiter.turn;
  }

  /**
   * Ends a turn. Resolves when the group is durable, also after a rollback: what made the caller
   * roll back may be a row that a neighbour of the same group wrote and that is not yet safe.
   */
  async leave(turn: Turn, how: 'release' | 'rollback'): Promise<void> {
    const group = this.#group;
    if (turn.isOver || !group) return;
    turn.end();
    this.#endActive(how);
    await group.durable.promise;
  }

  /** Lets what has been asked for finish and takes nothing new. */
  async close(): Promise<void> {
    this.#refusal ??= new StorageUnavailable('The database is closed.');
    if (!this.#active && !this.#committing) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  #grantNext(): void {
    const next = this.#waiting.shift();
    if (!next) return void this.#idle?.resolve();
    this.#group ??= newGroup();
    this.#group.turns += 1;
    this.#active = next.turn;
    this.#thread.tell({ kind: 'savepoint' });
    this.#activeSince = performance.now();
    this.#watch();
    next.granted.resolve();
  }

  /** One timer for all turns: to set and clear one for each cost a fiftieth of a change. */
  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    setTimeout(() => {
      this.#watching = false;
      const turn = this.#active;
      if (turn === undefined) return;
      if (performance.now() - this.#activeSince >= turn.timeoutMs) this.#timeOut(turn);
      else this.#watch();
    }, LOOK_EVERY_MS).unref();
  }

  #endActive(how: 'release' | 'rollback'): void {
    this.#active = undefined;
    this.stats.transactions += 1;
    this.#thread.tell({ kind: how });
    if (this.#group && this.#groupMayGrow(this.#group)) this.#grantNext();
    else void this.#commit();
  }

  #groupMayGrow(group: Group): boolean {
    return (
      this.#waiting.length > 0 &&
      group.turns < this.#limits.turnsMax &&
      performance.now() - group.startedAt < this.#limits.msMax
    );
  }

  async #commit(): Promise<void> {
    const group = this.#group;
    this.#group = undefined;
    this.#committing = true;
    try {
      await this.#thread.ask({ kind: 'commit' });
      this.stats.commits += 1;
      group?.durable.resolve();
    } catch (cause) {
      group?.durable.reject(unavailable(cause));
    }
    this.#committing = false;
    this.#grantNext();
  }

  #timeOut(turn: Turn): void {
    turn.cut(
      new Error(
        `A transaction took longer than ${turn.timeoutMs} ms and was rolled back. It waited for something other than its own queries, perhaps for another transaction.`,
      ),
    );
    this.#endActive('rollback');
  }

  /** The thread is gone: nobody may wait for it. */
  #fail(reason: StorageUnavailable): void {
    this.#refusal ??= reason;
    for (const { granted } of this.#waiting.splice(0)) granted.reject(reason);
    this.#active?.cut(reason);
    this.#active = undefined;
    this.#group?.durable.reject(reason);
    this.#group = undefined;
    this.#idle?.resolve();
  }
}

function newGroup(): Group {
  const durable = Promise.withResolvers<void>();
  // Everybody in the group may have timed out; then nobody listens.
  durable.promise.catch(() => {});
  return { startedAt: performance.now(), durable, turns: 0 };
}

function unavailable(cause: unknown): StorageUnavailable {
  return cause instanceof StorageUnavailable
    ? cause
    : new StorageUnavailable('The change could not be committed.', { cause });
}
