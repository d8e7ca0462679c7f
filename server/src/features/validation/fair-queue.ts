import { KeywardError } from '../../kernel/errors.ts';

/** Tasks of one caller that wait; more are refused. 100 large batches of unknown keys stay below it. */
const WAITING_MAX = 10_000;

interface Lane {
  readonly caller: unknown;
  running: number;
  /** Tasks that completed synchronously in this turn; they count as running until the next turn. */
  finished: number;
  readonly waiting: (() => void)[];
}

/**
 * Keeps one caller from occupying the event loop or the database. Of each caller a few tasks run at
 * a time and the others wait in order. A task that completes synchronously keeps its slot until the
 * next turn of the event loop, so that requests of other callers are read in between.
 */
export class FairQueue {
  readonly #runningMax: number;
  readonly #lanes = new Map<unknown, Lane>();
  #isTurnScheduled = false;

  /** `runningMax`: tasks of one caller that run at a time. */
  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** Runs the task immediately if the caller has a free slot. Never throws: an error is a rejection. */
  run<T>(caller: unknown, task: () => T | Promise<T>): T | Promise<T> {
    let lane = this.#lanes.get(caller);
    if (lane === undefined) {
      lane = { caller, running: 0, finished: 0, waiting: [] };
      this.#lanes.set(caller, lane);
    }
    if (lane.running < this.#runningMax) return this.#start(lane, task);
    const { waiting } = lane;
    if (waiting.length >= WAITING_MAX)
      return Promise.reject(
        new KeywardError('overloaded', undefined, { headers: ['Retry-After', '1'] }),
      );
    return new Promise((resolve) => {
      waiting.push(() => resolve(this.#start(lane, task)));
    });
  }

  #start<T>(lane: Lane, task: () => T | Promise<T>): T | Promise<T> {
    lane.running++;
    try {
      const result = task();
      if (result instanceof Promise) {
        const release = () => this.#release(lane, 1);
        result.then(release, release);
      } else this.#releaseNextTurn(lane);
      return result;
    } catch (error) {
      this.#releaseNextTurn(lane);
      return Promise.reject(error);
    }
  }

  #releaseNextTurn(lane: Lane): void {
    lane.finished++;
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => {
      this.#isTurnScheduled = false;
      for (const each of [...this.#lanes.values()]) {
        const { finished } = each;
        each.finished = 0;
        this.#release(each, finished);
      }
    });
  }

  #release(lane: Lane, count: number): void {
    lane.running -= count;
    while (lane.running < this.#runningMax && lane.waiting.length > 0) lane.waiting.shift()!();
    if (lane.running === 0) this.#lanes.delete(lane.caller);
  }
}
