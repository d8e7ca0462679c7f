import { type StorageFull, StorageUnavailable } from '../errors.ts';
import type { Reply, ScriptRequest } from './messages.ts';
import type { StorageThread } from './thread.ts';
import { Turn } from './turn.ts';

/**
 * A group is committed when the queue is empty or a limit is reached. Its first transaction is confirmed only
 * when the whole group is.
 */
interface GroupLimits {
  readonly turnsMax: number;
  readonly msMax: number;
}
const GROUP_LIMITS: GroupLimits = { turnsMax: 64, msMax: 5 };

interface QueueOptions extends Partial<GroupLimits> {
  /** Why only transactions that are allowed on a full disk are accepted now; undefined: all are. */
  readonly refusal?: () => StorageFull | undefined;
}

/** Interval of the check whether the active turn takes too long. */
const CHECK_EVERY_MS = 250;

interface WaitingTurn {
  readonly turn: Turn;
  readonly allowedOnFullDisk: boolean;
  readonly granted: PromiseWithResolvers<void>;
}

interface WaitingScript {
  readonly script: ScriptRequest;
  readonly outcome: PromiseWithResolvers<boolean>;
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
 *   idle ──enter──▶ a turn is active ──leave, another waits──▶ the next turn is active
 *     ▲                     └──leave, none waits or the group is full──▶ committing
 *     └───────────────────────── the commit is confirmed ────────────────────────┘
 *
 * While the writer commits, new turns wait and form the next group. A script is queued like a turn,
 * but the next request is sent immediately after it, without waiting for its reply.
 */
export class WriteQueue {
  readonly stats: WriteStats = { transactions: 0, commits: 0 };
  readonly #thread: StorageThread;
  readonly #limits: GroupLimits;
  readonly #fullDisk: () => StorageFull | undefined;
  readonly #waiting: (WaitingTurn | WaitingScript)[] = [];
  #active: Turn | undefined;
  #activeSince = 0;
  #watching = false;
  #granting = false;
  #group: Group | undefined;
  #committing = false;
  #refusal: StorageUnavailable | undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(thread: StorageThread, { refusal = () => undefined, ...limits }: QueueOptions = {}) {
    this.#thread = thread;
    this.#limits = { ...GROUP_LIMITS, ...limits };
    this.#fullDisk = refusal;
    thread.ended.then((reason) => this.#fail(reason));
  }

  /** Resolves when it is this transaction's turn. */
  async enter(timeoutMs: number, allowedOnFullDisk = false): Promise<Turn> {
    if (this.#refusal) throw this.#refusal;
    const waiter = {
      turn: new Turn(this.#thread, timeoutMs),
      allowedOnFullDisk,
      granted: Promise.withResolvers<void>(),
    };
    this.#waiting.push(waiter);
    if (!this.#active && !this.#committing) this.#grantNext();
    await waiter.granted.promise;
    return waiter.turn;
  }

  /** Runs a complete transaction. Resolves when it is durable; to false if a guard prevented it. */
  async run(script: ScriptRequest): Promise<boolean> {
    if (this.#refusal) throw this.#refusal;
    const waiter = { script, outcome: Promise.withResolvers<boolean>() };
    this.#waiting.push(waiter);
    this.#grantSoon();
    return waiter.outcome.promise;
  }

  /**
   * Ends a turn. Resolves when the group is durable, also after a rollback: the reason for the
   * rollback may be a row of another transaction of the group that is not durable yet.
   */
  async leave(turn: Turn, how: 'release' | 'rollback'): Promise<void> {
    const group = this.#group;
    if (turn.isOver || !group) return;
    turn.end();
    this.#endActive(how);
    await group.durable.promise;
  }

  /** Finishes the queued transactions and accepts no more. */
  async close(): Promise<void> {
    this.#refusal ??= new StorageUnavailable('The database is closed.');
    if (!this.#active && !this.#committing && this.#waiting.length === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  /** Waits for the other requests of this turn of the event loop, which can share a message. */
  #grantSoon(): void {
    if (this.#granting || this.#active || this.#committing) return;
    this.#granting = true;
    setImmediate(() => {
      this.#granting = false;
      if (!this.#active && !this.#committing) this.#grantNext();
    });
  }

  /** Sends the scripts up to the next turn, and starts that turn. */
  #grantNext(): void {
    while (this.#waiting.length > 0 && this.#mayTakeMore(this.#group)) {
      const next = this.#waiting.shift()!;
      const refusal = 'turn' in next && next.allowedOnFullDisk ? undefined : this.#fullDisk();
      if (refusal !== undefined) {
        ('turn' in next ? next.granted : next.outcome).reject(refusal);
        continue;
      }
      this.#group ??= newGroup();
      this.#group.turns += 1;
      if ('turn' in next) return void this.#grant(next);
      next.outcome.resolve(this.#outcomeOf(next.script, this.#group));
    }
    if (this.#group) void this.#commit();
    else this.#idle?.resolve();
  }

  #grant({ turn, granted }: WaitingTurn): void {
    this.#active = turn;
    this.#thread.send({ kind: 'savepoint' });
    this.#activeSince = performance.now();
    this.#watch();
    granted.resolve();
  }

  /** A failed script, too, waits until its group is durable, for the same reason as `leave`. */
  async #outcomeOf(script: ScriptRequest, group: Group): Promise<boolean> {
    this.stats.transactions += 1;
    let reply: Reply;
    try {
      reply = await this.#thread.request(script);
    } finally {
      await group.durable.promise;
    }
    return !reply.isGuarded;
  }

  /** One timer for all turns: setting and clearing one for each took 2 % of the time of a change. */
  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    setTimeout(() => {
      this.#watching = false;
      const turn = this.#active;
      if (turn === undefined) return;
      if (performance.now() - this.#activeSince >= turn.timeoutMs) this.#timeOut(turn);
      else this.#watch();
    }, CHECK_EVERY_MS).unref();
  }

  #endActive(how: 'release' | 'rollback'): void {
    this.#active = undefined;
    this.stats.transactions += 1;
    this.#thread.send({ kind: how });
    this.#grantNext();
  }

  #mayTakeMore(group: Group | undefined): boolean {
    return (
      group === undefined ||
      (group.turns < this.#limits.turnsMax &&
        performance.now() - group.startedAt < this.#limits.msMax)
    );
  }

  async #commit(): Promise<void> {
    const group = this.#group;
    this.#group = undefined;
    this.#committing = true;
    try {
      await this.#thread.request({ kind: 'commit' });
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
        `A transaction took longer than ${turn.timeoutMs} ms and was rolled back. It may have waited for something other than its own queries, such as another transaction.`,
      ),
    );
    this.#endActive('rollback');
  }

  /** The thread has ended: rejects everything that waits for it. */
  #fail(reason: StorageUnavailable): void {
    this.#refusal ??= reason;
    for (const waiter of this.#waiting.splice(0))
      ('turn' in waiter ? waiter.granted : waiter.outcome).reject(reason);
    this.#active?.cut(reason);
    this.#active = undefined;
    this.#group?.durable.reject(reason);
    this.#group = undefined;
    this.#idle?.resolve();
  }
}

function newGroup(): Group {
  const durable = Promise.withResolvers<void>();
  // If all transactions of the group timed out, no listener is left.
  durable.promise.catch(() => {});
  return { startedAt: performance.now(), durable, turns: 0 };
}

function unavailable(cause: unknown): StorageUnavailable {
  return cause instanceof StorageUnavailable
    ? cause
    : new StorageUnavailable('The change could not be committed.', { cause });
}
