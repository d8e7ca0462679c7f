import { setImmediate as nextTurn } from 'node:timers';

/**
 * Collects the items of one event-loop turn, in which a busy server reads many requests, and flushes
 * them when the turn ends, or earlier when there are `max` items.
 */
export class TurnBatch<T> {
  readonly #max: number;
  readonly #onFlush: (items: readonly T[]) => void;
  #items: T[] = [];
  #isScheduled = false;

  constructor(max: number, onFlush: (items: readonly T[]) => void) {
    this.#max = max;
    this.#onFlush = onFlush;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length >= this.#max) this.flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      nextTurn(this.#onTurnEnd);
    }
  }

  flush(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.#onFlush(items);
  }

  #onTurnEnd = (): void => {
    this.#isScheduled = false;
    this.flush();
  };
}
