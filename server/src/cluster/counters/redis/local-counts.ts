import type { Clock } from '../../../kernel/time/clock.ts';
import { type UnmergedCount, UnmergedCounts } from './unmerged-counts.ts';
import type { Grant } from './windows.ts';

/** Counts sent and not yet confirmed; further ones wait until these are confirmed, or for the next probe. */
const SENT_MAX = 1_000;

export interface LocalCountsParts {
  readonly clock: Clock;
  readonly isConnected: (counter: string) => boolean;
  readonly merge: (
    counter: string,
    amount: number,
    leftMs: number,
    slidingMs: number,
  ) => Promise<Grant>;
  /** Raises a count to at least this amount. */
  readonly raise: (counter: string, amount: number, leftMs: number) => Promise<Grant>;
  readonly onMerged: (count: UnmergedCount, grant: Grant) => void;
  readonly onRaised: (counter: string, grant: Grant) => void;
}

/**
 * Counts that this node made by itself and has not yet sent to Redis. They are sent at once if there is a
 * connection, even if Redis does not reply: after a stall, Redis then reads them first.
 */
export class LocalCounts {
  readonly #parts: LocalCountsParts;
  readonly #unsent = new UnmergedCounts();
  /** The last counts of a replaced master, to be restored in the new one. */
  #remembered = new UnmergedCounts();
  readonly #sent = new Set<Promise<void>>();

  constructor(parts: LocalCountsParts) {
    this.#parts = parts;
  }

  /** Number of counters with counts not yet sent. */
  get size(): number {
    return this.#unsent.size + this.#remembered.size;
  }

  /**
   * Called after a failover, because the new master may lack the last counts. Each count is sent once: before the next
   * check of its counter, or with the next probe.
   */
  restoreCounts(counts: Iterable<UnmergedCount>): void {
    const now = this.#parts.clock();
    this.#remembered = new UnmergedCounts();
    for (const count of counts) this.#remembered.add(count, now);
  }

  add(count: UnmergedCount, now: number): void {
    if (this.#sent.size < SENT_MAX && this.#parts.isConnected(count.counter))
      this.#send(count, now);
    else this.#unsent.add(count, now);
  }

  /** Sends the count of a counter on the same connection before a check, so that the check includes it. */
  sendAhead(counter: string, now: number): void {
    if (this.size === 0) return;
    const remembered = this.#remembered.takeOne(counter, now);
    if (remembered !== undefined) this.#raise(remembered, now);
    const count = this.#unsent.takeOne(counter, now);
    if (count !== undefined) this.#send(count, now);
  }

  sendAll(): void {
    if (this.size === 0) return;
    const now = this.#parts.clock();
    for (const count of this.#remembered.takeSome(SENT_MAX - this.#sent.size, now))
      if (this.#parts.isConnected(count.counter)) this.#raise(count, now);
      else this.#remembered.add(count, now);
    // Unsent counts are not included in the raised ones, so they are added afterwards.
    if (this.#remembered.size > 0) return;
    for (const count of this.#unsent.takeSome(SENT_MAX - this.#sent.size, now))
      this.add(count, now);
  }

  /** Resolves when all counts that were sent are confirmed or lost. */
  async settled(): Promise<void> {
    await Promise.all(this.#sent);
  }

  #send(count: UnmergedCount, now: number): void {
    this.#track(this.#merge(count, now));
  }

  #raise({ counter, amount, resetAt }: UnmergedCount, now: number): void {
    const raised = this.#parts.raise(counter, amount, Math.ceil(resetAt - now)).then(
      (grant) => {
        this.#parts.onRaised(counter, grant);
        return true;
      },
      () => false,
    );
    this.#track(raised);
  }

  #track(reply: Promise<boolean>): void {
    const sent = reply.then((isDone) => {
      this.#sent.delete(sent);
      if (isDone && this.#sent.size === 0) this.sendAll();
    });
    this.#sent.add(sent);
  }

  async #merge(count: UnmergedCount, now: number): Promise<boolean> {
    const { counter, amount, resetAt, slidingMs } = count;
    try {
      const leftMs = Math.ceil(resetAt - now);
      this.#parts.onMerged(count, await this.#parts.merge(counter, amount, leftMs, slidingMs));
      return true;
    } catch {
      this.#unsent.add(count, this.#parts.clock());
      return false;
    }
  }
}
