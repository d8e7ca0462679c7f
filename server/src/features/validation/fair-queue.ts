import { KeywardError } from '../../kernel/errors.ts';

/**
 * The most tasks of one caller that can wait; more are refused. 100 large batches of unknown keys stay
 * below this.
 */
const WAITING_MAX = 10_000;

interface CallerTasks {
  readonly caller: unknown;
  running: number;
  /** Tasks that completed synchronously in this turn; they count as running until the next turn. */
  finished: number;
  readonly waiting: (() => void)[];
}

/**
 * Keeps one caller from occupying the event loop or the database. For each caller, a few tasks run at a time
 * and the rest wait in order. A task that completes synchronously keeps its slot until the next turn of the
 * event loop, so that requests of other callers are read in between.
 */
export class FairQueue {
  readonly #runningMax: number;
  readonly #callers = new Map<unknown, CallerTasks>();
  #isTurnScheduled = false;

  /** `runningMax`: tasks of one caller that run at a time. */
  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** Runs the task immediately if the caller has a free slot. Never throws: an error is a rejection. */
  run<T>(caller: unknown, task: () => T | Promise<T>): T | Promise<T> {
    let tasks = this.#callers.get(caller);
    if (tasks === undefined) {
      tasks = { caller, running: 0, finished: 0, waiting: [] };
      this.#callers.set(caller, tasks);
    }
    if (tasks.running < this.#runningMax) return this.#start(tasks, task);
    const { waiting } = tasks;
    if (waiting.length >= WAITING_MAX)
      return Promise.reject(
        new KeywardError('overloaded', undefined, { headers: ['Retry-After', '1'] }),
      );
    return new Promise((resolve) => {
      waiting.push(() => resolve(this.#start(tasks, task)));
    });
  }

  #start<T>(tasks: CallerTasks, task: () => T | Promise<T>): T | Promise<T> {
    tasks.running++;
    try {
      const result = task();
      if (result instanceof Promise) {
        const release = () => this.#release(tasks, 1);
        result.then(release, release);
      } else this.#releaseNextTurn(tasks);
      return result;
    } catch (error) {
      this.#releaseNextTurn(tasks);
      return Promise.reject(error);
    }
  }

  #releaseNextTurn(tasks: CallerTasks): void {
    tasks.finished++;
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => {
      this.#isTurnScheduled = false;
      for (const each of [...this.#callers.values()]) {
        const { finished } = each;
        each.finished = 0;
        this.#release(each, finished);
      }
    });
  }

  #release(tasks: CallerTasks, count: number): void {
    tasks.running -= count;
    while (tasks.running < this.#runningMax && tasks.waiting.length > 0) tasks.waiting.shift()!();
    if (tasks.running === 0) this.#callers.delete(tasks.caller);
  }
}
