import type { QueryResult } from 'pg';
import { StorageUnavailable } from '../errors.ts';
import { ConnectionLost, wasLostQuickly } from './errors.ts';
import type { Session } from './session.ts';

/** Single rows, lists, changes: a burst of lists or of changes must not take all sessions. */
export type SessionUse = 'point' | 'read' | 'write';

interface Waiter {
  readonly use: SessionUse;
  readonly granted: PromiseWithResolvers<void>;
}

const IDLE_MS_MAX = 30_000;
const REPLACED = 'Another PostgreSQL server is the primary now.';

/**
 * A pool of sessions:
 *
 *   (none) ──acquire──▶ in use ──release──▶ idle ──acquire──▶ in use …
 *   in use ──ended──▶ (none)
 *   idle ──ended, or unused for 30 s──▶ (none)
 *
 * Lists use at most half of the sessions and changes all but one, so that neither alone can delay reads of
 * single rows. Together they can use all sessions.
 */
export class SessionPool {
  readonly #open: () => Promise<Session>;
  readonly #sizes: Record<SessionUse, number>;
  readonly #waitMs: number;
  readonly #inUse: Record<SessionUse, number> = { point: 0, read: 0, write: 0 };
  readonly #idle: { session: Session; since: number }[] = [];
  readonly #sessionsInUse = new Set<Session>();
  readonly #waiting: Waiter[] = [];
  readonly #sweep: NodeJS.Timeout;
  #closing: PromiseWithResolvers<void> | undefined;
  #hasReads = true;

  constructor(open: () => Promise<Session>, { size, waitMs }: { size: number; waitMs: number }) {
    this.#open = open;
    this.#waitMs = waitMs;
    this.#sizes = {
      point: size,
      read: Math.max(1, Math.floor(size / 2)),
      write: Math.max(1, size - 1),
    };
    this.#sweep = setInterval(() => this.#endIdle(IDLE_MS_MAX), IDLE_MS_MAX / 2).unref();
  }

  /** Lists that can run at a time. */
  get readsMax(): number {
    return this.#sizes.read;
  }

  get stats(): { inUse: number; idle: number; waiting: number; size: number } {
    return {
      inUse: this.#busy,
      idle: this.#idle.length,
      waiting: this.#waiting.length,
      size: this.#sizes.point,
    };
  }

  /** `fresh`: opens a new session, because idle ones may be dead. */
  async acquire(use: SessionUse, fresh = false, stop?: AbortSignal): Promise<Session> {
    await this.#acquireSlot(use, stop);
    const kept = fresh ? undefined : this.#idle.pop()?.session;
    if (kept !== undefined) return this.#use(kept);
    try {
      return this.#use(await this.#open());
    } catch (error) {
      // Before the slot is freed: the next waiter would get it and run into the same timeout.
      if (error instanceof ConnectionLost) this.rejectWaiters(error);
      this.#freeSlot(use);
      throw error;
    }
  }

  /**
   * Acquires a session and runs its first query, which does not change anything. If an idle session turns out
   * to be dead, a new one is used. `stop` ends the wait for a session.
   */
  async acquireWith(
    use: SessionUse,
    first: (session: Session) => Promise<QueryResult>,
    stop?: AbortSignal,
  ): Promise<{ readonly session: Session; readonly result: QueryResult }> {
    for (let fresh = false; ; fresh = true) {
      const session = await this.acquire(use, fresh, stop);
      const mayBeStale = !session.isFresh;
      const began = performance.now();
      try {
        return { session, result: await first(session) };
      } catch (error) {
        this.release(session, use);
        if (fresh || !mayBeStale || !wasLostQuickly(error, began)) throw error;
      }
    }
  }

  #use(session: Session): Session {
    this.#sessionsInUse.add(session);
    return session;
  }

  release(session: Session, use: SessionUse): void {
    if (!this.#sessionsInUse.delete(session)) session.end(new ConnectionLost(REPLACED));
    if (session.ended === undefined) {
      this.#idle.push({ session, since: performance.now() });
      session.onEnd = () => this.#forget(session);
    }
    this.#freeSlot(use);
  }

  /** Ends all sessions after a failover; those in use end when they are released. */
  replaceSessions(): void {
    this.#sessionsInUse.clear();
    this.#endIdle(0);
  }

  /** The server cannot be reached: rejects all waiters and ends the idle sessions. */
  rejectWaiters(reason: Error): void {
    this.#endIdle(0);
    for (const { granted } of this.#waiting.splice(0)) granted.reject(reason);
  }

  /** Finishes the work in progress, and the reads until `reads` resolves, and accepts no more. */
  async close(reads: Promise<void> = Promise.resolve()): Promise<void> {
    this.#closing ??= Promise.withResolvers<void>();
    clearInterval(this.#sweep);
    await reads;
    this.#hasReads = false;
    this.#closeIfUnused();
    await this.#closing.promise;
  }

  get #busy(): number {
    return this.#inUse.point + this.#inUse.read + this.#inUse.write;
  }

  async #acquireSlot(use: SessionUse, stop?: AbortSignal): Promise<void> {
    if (this.#closing && use !== 'read') throw new StorageUnavailable('The database is closed.');
    stop?.throwIfAborted();
    if (this.#isFree(use)) return void this.#inUse[use]++;
    const waiter: Waiter = { use, granted: Promise.withResolvers<void>() };
    this.#waiting.push(waiter);
    const reject = (reason: Error) => {
      const index = this.#waiting.indexOf(waiter);
      if (index < 0) return;
      this.#waiting.splice(index, 1);
      waiter.granted.reject(reason);
    };
    const onStop = () => reject(stop?.reason);
    stop?.addEventListener('abort', onStop);
    const late = `No connection to PostgreSQL was free for ${this.#waitMs} ms.`;
    const timer = setTimeout(() => reject(new StorageUnavailable(late)), this.#waitMs);
    try {
      await waiter.granted.promise;
    } finally {
      clearTimeout(timer);
      stop?.removeEventListener('abort', onStop);
    }
  }

  #isFree(use: SessionUse): boolean {
    return this.#busy < this.#sizes.point && this.#inUse[use] < this.#sizes[use];
  }

  #freeSlot(use: SessionUse): void {
    this.#inUse[use]--;
    const next = this.#waiting.findIndex((waiter) => this.#isFree(waiter.use));
    const [waiter] = next < 0 ? [] : this.#waiting.splice(next, 1);
    if (waiter) {
      this.#inUse[waiter.use]++;
      waiter.granted.resolve();
    }
    this.#closeIfUnused();
  }

  #forget(session: Session): void {
    const index = this.#idle.findIndex((each) => each.session === session);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #endIdle(idleMs: number): void {
    const before = performance.now() - idleMs;
    for (const { session, since } of [...this.#idle])
      if (since <= before) session.end(new ConnectionLost('The idle connection was closed.'));
  }

  #closeIfUnused(): void {
    if (!this.#closing || this.#hasReads || this.#busy > 0 || this.#waiting.length > 0) return;
    this.#endIdle(0);
    this.#closing.resolve();
  }
}
