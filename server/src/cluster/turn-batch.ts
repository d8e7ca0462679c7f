import { setImmediate as nextTurn } from 'node:timers';

/**
 * Collects what comes in one turn of the event loop, in which a busy server reads many requests, and
 * hands it on when the turn ends; sooner when there are `max` of them.
 */
export class TurnBatch<T> {
  readonly #max: number;
  readonly #handOn: (some: readonly T[]) => void;
  #some: T[] = [];
  #isDue = false;

  constructor(max: number, handOn: (some: readonly T[]) => void) {
    this.#max = max;
    this.#handOn = handOn;
  }

  get size(): number {
    return this.#some.length;
  }

  add(one: T): void {
    this.#some.push(one);
    if (this.#some.length >= this.#max) this.flush();
    else if (!this.#isDue) {
      this.#isDue = true;
      nextTurn(this.#turnEnds);
    }
  }

  flush(): void {
    if (this.#some.length === 0) return;
    const some = this.#some;
    this.#some = [];
    this.#handOn(some);
  }

  #turnEnds = (): void => {
    this.#isDue = false;
    this.flush();
  };
}
