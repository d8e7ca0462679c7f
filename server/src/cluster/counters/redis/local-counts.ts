import type { Clock } from '../../../kernel/clock.ts';
import { type UnmergedCount, UnmergedCounts } from './unmerged-counts.ts';
import type { Grant } from './windows.ts';

/** Counts sent and not yet confirmed; further ones wait for the next probe. */
const SENT_MAX = 1_000;

export interface LocalCountsParts {
  readonly clock: Clock;
  readonly isConnected: (group: string) => boolean;
  readonly merge: (group: string, amount: number, leftMs: number) => Promise<Grant>;
  readonly onMerged: (count: UnmergedCount, grant: Grant) => void;
}

/**
 * Counts that this node made by itself and Redis has yet to learn. They are sent at once where there
 * is a connection, even if it is silent: a Redis that was only stalled then knows them first.
 */
export class LocalCounts {
  readonly #parts: LocalCountsParts;
  readonly #unsent = new UnmergedCounts();
  readonly #sent = new Set<Promise<void>>();

  constructor(parts: LocalCountsParts) {
    this.#parts = parts;
  }

  /** Number of groups with counts not yet sent. */
  get size(): number {
    return this.#unsent.size;
  }

  add(count: UnmergedCount, now: number): void {
    if (this.#sent.size < SENT_MAX && this.#parts.isConnected(count.group)) this.#send(count, now);
    else this.#unsent.add(count.group, count.amount, count.resetAt, now);
  }

  /** Sends the count of a group on the same connection before a check, so that the check includes it. */
  sendAhead(group: string, now: number): void {
    if (this.#unsent.size === 0) return;
    const count = this.#unsent.takeGroup(group, now);
    if (count !== undefined) this.#send(count, now);
  }

  sendAll(): void {
    if (this.#unsent.size === 0) return;
    const now = this.#parts.clock();
    for (const count of this.#unsent.takeSome(SENT_MAX - this.#sent.size, now))
      this.add(count, now);
  }

  /** Resolves when all counts that were sent are confirmed or lost. */
  async settled(): Promise<void> {
    await Promise.all(this.#sent);
  }

  #send(count: UnmergedCount, now: number): void {
    const sent = this.#merge(count, now).then((isMerged) => {
      this.#sent.delete(sent);
      if (isMerged && this.#sent.size === 0) this.sendAll();
    });
    this.#sent.add(sent);
  }

  async #merge(count: UnmergedCount, now: number): Promise<boolean> {
    const { group, amount, resetAt } = count;
    try {
      this.#parts.onMerged(count, await this.#parts.merge(group, amount, Math.ceil(resetAt - now)));
      return true;
    } catch {
      this.#unsent.add(group, amount, resetAt, this.#parts.clock());
      return false;
    }
  }
}
