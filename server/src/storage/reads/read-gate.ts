import { ReadCancelled, ReadsOverloaded, ReadTooSlow, StorageUnavailable } from '../errors.ts';
import type { ReadStatus } from '../storage.ts';

export interface ReadLimits {
  /** Reads that run at a time. */
  readonly slots: number;
  /** Of these, for one account. */
  readonly slotsOfAccount: number;
  readonly waitingMax: number;
  /** The part of the free places of the queue that one account may take: there is always one for another. */
  readonly shareOfWaiting: number;
}

export interface Reader {
  readonly account: string;
  /** Monotonic milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
}

interface Account {
  readonly name: string;
  running: number;
  readonly waiting: Waiter[];
}

interface Waiter {
  readonly since: number;
  grant(): void;
  reject(reason: StorageUnavailable): void;
}

/**
 * When a client disconnects, its read is stopped only after this time. Most reads end before, and stopping one costs
 * a new process on SQLite (40 ms) or a new connection to PostgreSQL.
 */
const RUN_MS_MIN = 250;

const WAITED = 'A read waited for a reader until its deadline.';

/** Reads within the share of their account that wait this long show that there are too few readers. */
const STARVING_MS = 3_000;
/** A probe every few seconds must notice it. */
const STARVED_FOR_MS = 5_000;

/**
 * Admits reads to a few slots:
 *
 *   waiting ──slot free──▶ running ──▶ ended
 *   waiting ──deadline, client gone──▶ rejected
 *   running ──deadline, client gone──▶ stopping (its slot is still taken) ──▶ ended
 *
 * One account has a share of the slots; accounts with waiting reads take turns.
 */
export class ReadGate {
  readonly #limits: ReadLimits;
  /** Accounts with reads. The one that was served last comes last. */
  readonly #accounts = new Map<string, Account>();
  /** Stop the running reads. */
  readonly #stops = new Set<AbortController>();
  #running = 0;
  #waiting = 0;
  /** When a read last waited in vain for a reader, although its account had a share left. */
  #starvedAt = Number.NEGATIVE_INFINITY;
  readonly #counts = { timedOut: 0, cancelled: 0, refused: 0 };
  #closed: StorageUnavailable | undefined;
  readonly #idle = Promise.withResolvers<void>();

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  get status(): ReadStatus {
    const now = performance.now();
    const waits = [...this.#accounts.values()]
      .filter((account) => this.#hasShare(account))
      .map(({ waiting }) => (waiting[0] === undefined ? 0 : now - waiting[0].since));
    const oldestWaitMs = Math.max(0, ...waits);
    return {
      ...{ running: this.#running, waiting: this.#waiting, oldestWaitMs, ...this.#counts },
      isStarving: oldestWaitMs > STARVING_MS || now - this.#starvedAt < STARVED_FOR_MS,
    };
  }

  /** Runs `work` in a slot. When `stop` is aborted, `work` must end soon; its reason is then the result. */
  async run<T>(reader: Reader, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    try {
      const arrived = performance.now();
      const account = await this.#enter(reader);
      try {
        return await this.#runUntilStopped(reader, work, performance.now() - arrived);
      } finally {
        this.#leave(account);
      }
    } catch (error) {
      if (error instanceof ReadTooSlow) this.#counts.timedOut++;
      if (error instanceof ReadCancelled) this.#counts.cancelled++;
      if (error instanceof ReadsOverloaded) this.#counts.refused++;
      throw error;
    }
  }

  /** Rejects all reads that run or wait, and later ones. */
  stop(reason: StorageUnavailable): void {
    this.#closed = reason;
    for (const { waiting } of [...this.#accounts.values()])
      for (const waiter of [...waiting]) waiter.reject(reason);
    for (const stop of this.#stops) stop.abort(reason);
  }

  /** Finishes the reads that run or wait, and accepts no new ones. */
  async close(): Promise<void> {
    this.#closed ??= new StorageUnavailable('The database is closed.');
    this.#resolveIfIdle();
    await this.#idle.promise;
  }

  #hasShare({ running }: Account): boolean {
    return running < this.#limits.slotsOfAccount;
  }

  /** Resolves when the read may run; `#leave` follows. */
  async #enter(reader: Reader): Promise<Account> {
    if (this.#closed) throw this.#closed;
    if (reader.signal?.aborted) throw new ReadCancelled();
    if (performance.now() >= reader.deadline) throw new ReadTooSlow();
    const { account: name } = reader;
    const account = this.#accounts.get(name) ?? { name, running: 0, waiting: [] };
    if (this.#running < this.#limits.slots && this.#hasShare(account)) this.#take(account);
    else await this.#wait(reader, account);
    return account;
  }

  async #wait({ deadline, signal }: Reader, account: Account): Promise<void> {
    const { waitingMax, shareOfWaiting } = this.#limits;
    // Counted without its own: one account alone gets its whole share.
    const free = waitingMax - this.#waiting + account.waiting.length;
    if (account.waiting.length >= free * shareOfWaiting)
      throw new ReadsOverloaded('Too many reads wait for the database.');
    const since = performance.now();
    const granted = Promise.withResolvers<void>();
    const reject = (reason: StorageUnavailable) => {
      // False if the slot has been granted in this turn.
      if (!this.#withdraw(account, waiter)) return;
      granted.reject(reason);
      this.#forgetIfIdle(account);
    };
    const waiter: Waiter = { since, grant: granted.resolve, reject };
    account.waiting.push(waiter);
    this.#accounts.set(account.name, account);
    this.#waiting++;
    const onGone = () => reject(new ReadCancelled());
    signal?.addEventListener('abort', onGone);
    const onDeadline = () => {
      if (this.#hasShare(account)) this.#starvedAt = performance.now();
      reject(new ReadsOverloaded(WAITED));
    };
    const timer = setTimeout(onDeadline, Math.max(0, deadline - since));
    try {
      await granted.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onGone);
    }
  }

  async #runUntilStopped<T>(
    { deadline, signal }: Reader,
    work: (stop: AbortSignal) => Promise<T>,
    waitedMs: number,
  ): Promise<T> {
    const stop = new AbortController();
    const began = performance.now();
    let cancelling: NodeJS.Timeout | undefined;
    const onGone = () => {
      const leftMs = began + RUN_MS_MIN - performance.now();
      cancelling = setTimeout(() => stop.abort(new ReadCancelled()), Math.max(0, leftMs));
    };
    const onDeadline = () =>
      stop.abort(
        waitedMs > performance.now() - began ? new ReadsOverloaded(WAITED) : new ReadTooSlow(),
      );
    // A turn of the event loop later: it reads results that arrived while the process was suspended.
    const timer = setTimeout(() => setImmediate(onDeadline), Math.max(0, deadline - began));
    signal?.addEventListener('abort', onGone);
    if (signal?.aborted) onGone();
    this.#stops.add(stop);
    try {
      return await work(stop.signal);
    } catch (error) {
      throw stop.signal.aborted ? stop.signal.reason : error;
    } finally {
      this.#stops.delete(stop);
      clearTimeout(timer);
      clearTimeout(cancelling);
      signal?.removeEventListener('abort', onGone);
    }
  }

  #take(account: Account): void {
    account.running++;
    this.#running++;
    this.#moveBehindOthers(account);
  }

  #moveBehindOthers(account: Account): void {
    this.#accounts.delete(account.name);
    this.#accounts.set(account.name, account);
  }

  #withdraw({ waiting }: Account, waiter: Waiter): boolean {
    const index = waiting.indexOf(waiter);
    if (index < 0) return false;
    waiting.splice(index, 1);
    this.#waiting--;
    return true;
  }

  #leave(account: Account): void {
    account.running--;
    this.#running--;
    this.#moveBehindOthers(account);
    const next = [...this.#accounts.values()].find(
      (each) => each.waiting.length > 0 && this.#hasShare(each),
    );
    const [waiter] = next?.waiting ?? [];
    if (next && waiter) {
      this.#withdraw(next, waiter);
      this.#take(next);
      waiter.grant();
    }
    this.#forgetIfIdle(account);
  }

  #forgetIfIdle({ name, running, waiting }: Account): void {
    if (running === 0 && waiting.length === 0) this.#accounts.delete(name);
    this.#resolveIfIdle();
  }

  #resolveIfIdle(): void {
    if (this.#closed && this.#accounts.size === 0) this.#idle.resolve();
  }
}
