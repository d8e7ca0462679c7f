import { KeywardError } from './errors.ts';

export interface FairQueueLimits {
  /** Tasks of one caller that run at a time. */
  readonly perCaller: number;
  /** Tasks of all callers that run at a time. Default: no limit. */
  readonly total?: number;
  /** Tasks of one caller that can wait; more are refused. */
  readonly waitingPerCaller?: number;
}

/** 100 large batches of unknown keys stay below this. */
const WAITING_PER_CALLER = 10_000;

interface CallerTasks {
  readonly caller: unknown;
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Keeps one caller from occupying the event loop or the database. A few tasks run at a time, for each caller
 * and in total; the others wait. Callers take turns, and each caller's tasks run in order. A task that is done
 * keeps its slot until the next turn of the event loop, so that requests of other callers are read in between.
 */
export class FairQueue {
  readonly #limits: Required<FairQueueLimits>;
  readonly #callers = new Map<unknown, CallerTasks>();
  /** Those with a waiting task and a free slot of their own, in the order of their turns. */
  readonly #ready = new Set<CallerTasks>();
  #running = 0;
  /** Whose tasks were done in this turn of the event loop, once for each task. */
  #done: CallerTasks[] = [];

  constructor(limits: FairQueueLimits) {
    this.#limits = {
      total: Number.POSITIVE_INFINITY,
      waitingPerCaller: WAITING_PER_CALLER,
      ...limits,
    };
  }

  /** Callers that have a task running or waiting. */
  get callers(): number {
    return this.#callers.size;
  }

  /** Runs the task immediately if a slot is free. Never throws: an error is a rejection. */
  run<T>(caller: unknown, task: () => T | Promise<T>): T | Promise<T> {
    let tasks = this.#callers.get(caller);
    if (tasks === undefined) {
      tasks = { caller, running: 0, waiting: [] };
      this.#callers.set(caller, tasks);
    }
    const { perCaller, total, waitingPerCaller } = this.#limits;
    if (tasks.running < perCaller && this.#running < total) return this.#start(tasks, task);
    const { waiting } = tasks;
    if (waiting.length >= waitingPerCaller)
      return Promise.reject(
        new KeywardError('overloaded', undefined, { headers: ['Retry-After', '1'] }),
      );
    return new Promise((resolve) => {
      waiting.push(() => resolve(this.#start(tasks, task)));
      if (tasks.running < perCaller) this.#ready.add(tasks);
    });
  }

  #start<T>(tasks: CallerTasks, task: () => T | Promise<T>): T | Promise<T> {
    tasks.running++;
    this.#running++;
    const release = () => this.#releaseNextTurn(tasks);
    try {
      const result = task();
      if (result instanceof Promise) result.then(release, release);
      else release();
      return result;
    } catch (error) {
      release();
      return Promise.reject(error);
    }
  }

  #releaseNextTurn(tasks: CallerTasks): void {
    this.#done.push(tasks);
    if (this.#done.length > 1) return;
    setImmediate(() => {
      const done = this.#done;
      this.#done = [];
      this.#running -= done.length;
      for (const each of done) this.#release(each);
      this.#startReady();
    });
  }

  #release(tasks: CallerTasks): void {
    tasks.running--;
    if (tasks.waiting.length > 0) this.#ready.add(tasks);
    else if (tasks.running === 0) this.#callers.delete(tasks.caller);
  }

  /** One task of each caller in turn, until no slot is free. */
  #startReady(): void {
    for (const tasks of this.#ready) {
      if (this.#running >= this.#limits.total) return;
      // Taken out and, if it has more to run, put at the end.
      this.#ready.delete(tasks);
      tasks.waiting.shift()!();
      if (tasks.waiting.length > 0 && tasks.running < this.#limits.perCaller)
        this.#ready.add(tasks);
    }
  }
}
