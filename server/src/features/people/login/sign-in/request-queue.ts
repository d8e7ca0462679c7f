import { KeywardError } from '../../../../kernel/errors.ts';

/**
 * Runs a few calls at a time and queues the others. If the queue is full, calls fail with `overloaded`.
 */
export class RequestQueue {
  readonly #concurrentMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ concurrentMax, waitingMax }: { concurrentMax: number; waitingMax: number }) {
    this.#concurrentMax = concurrentMax;
    this.#waitingMax = waitingMax;
  }

  /**
   * If `isGone` returns true when the turn of the call has come, the call fails without doing its work. With
   * `isFirst`, it goes to the front of the queue, even if the queue is full.
   */
  async run<T>(
    work: () => Promise<T>,
    {
      isGone = () => false,
      isFirst = false,
    }: { isGone?: (() => boolean) | undefined; isFirst?: boolean } = {},
  ): Promise<T> {
    if (this.#running === this.#concurrentMax) await this.#turn(isFirst);
    else this.#running++;
    try {
      if (isGone()) throw new KeywardError('overloaded');
      return await work();
    } finally {
      // The next call takes over the slot directly.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #turn(isFirst: boolean): Promise<void> {
    if (isFirst) return new Promise((resolve) => this.#waiting.unshift(resolve));
    if (this.#waiting.length >= this.#waitingMax)
      throw new KeywardError('overloaded', undefined, { headers: ['Retry-After', '5'] });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
