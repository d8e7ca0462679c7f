import type { FastifyBaseLogger } from 'fastify';
import type { LocalCounters } from '../../cluster/counters/counters.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { deleteEndedWindows, saveChangedWindows } from './store.ts';

/** What a crash of an embedded server forgets of a long window. */
const SAVE_EVERY_MS = 5_000;

/** Saves long windows while the server runs, and deletes the rows of those that have ended. */
export class WindowSaver {
  readonly #storage: Storage;
  readonly #counters: LocalCounters;
  readonly #clock: Clock;
  readonly #log: FastifyBaseLogger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #sweptTo = '';

  constructor(storage: Storage, counters: LocalCounters, clock: Clock, log: FastifyBaseLogger) {
    this.#storage = storage;
    this.#counters = counters;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    let isRunning = false;
    this.#timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      this.#running = this.save()
        .catch((err) => this.#log.warn({ err }, 'rate limits could not be saved; trying again'))
        .finally(() => {
          isRunning = false;
        });
    }, SAVE_EVERY_MS).unref();
  }

  async save(): Promise<void> {
    const now = this.#clock();
    await saveChangedWindows(this.#storage, this.#counters, now);
    this.#sweptTo = await deleteEndedWindows(this.#storage, this.#sweptTo, now);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
