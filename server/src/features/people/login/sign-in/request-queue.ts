import { KeywardError } from '../../../../kernel/errors.ts';

/**
 * Lets a few in at once; the others wait their turn, and cost nothing until it comes. Whoever would
 * have to wait too long is told so instead.
 */
export class RequestQueue {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor({ atOnceMax, waitingMax }: { atOnceMax: number; waitingMax: number }) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /**
   * `isGone`: asked when the turn has come; whoever has left is passed over. `isFirst`: goes ahead of
   * all who wait, also where the line is full.
   */
  async run<T>(
    work: () => Promise<T>,
    {
      isGone = () => false,
      isFirst = false,
    }: { isGone?: (() => boolean) | undefined; isFirst?: boolean } = {},
  ): Promise<T> {
    if (this.#inside === this.#atOnceMax) await this.#turn(isFirst);
    else this.#inside++;
    try {
      if (isGone()) throw new KeywardError('overloaded');
      return await work();
    } finally {
      // Whoever is next takes the place over: nobody slips in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside--;
    }
  }

  #turn(isFirst: boolean): Promise<void> {
    if (isFirst) return new Promise((resolve) => this.#waiting.unshift(resolve));
    if (this.#waiting.length >= this.#waitingMax)
      throw new KeywardError('overloaded', undefined, { headers: ['Retry-After', '5'] });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
