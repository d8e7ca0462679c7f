import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import type { Outbox } from '../changes/index.ts';
import { AuditStream } from './audit-stream.ts';
import { sweepThresholds } from './crossings.ts';
import { expiryStep, rescanAll, rescanStep, sweepExpiryNotices } from './expiry/notices.ts';
import type { NoticeMails } from './mails.ts';
import { UsagePeriods } from './usage-periods.ts';

const EVERY_MS = 2_000;
/** Pause between two steps, for other writers and deliveries. With 100,000 keys, it adds up to 10 s. */
const PAUSE_MS = 20;
/** A clock that goes back by less than this is only being adjusted. */
const JUMP_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;

interface SignalsParts {
  readonly storage: Storage;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly mails: NoticeMails;
  readonly foldJournal: () => Promise<void>;
  readonly hoursKeptFrom: (now: number) => number;
  readonly elapsed: () => number;
  readonly onError: (error: unknown, message: string) => void;
}

/** Returns whether there may be more to do. */
type Step = (now: number) => Promise<boolean>;

/**
 * Sends events that no request causes: notices of expiry, mails, usage events, audit events. All state is in
 * the database, and changes in the transaction of each step. So any number of nodes may run this, and a node
 * that was down continues where it stopped. The jobs do not wait for each other: a mass expiry takes minutes.
 *
 * Each job:
 *   idle ──every 2 s──▶ running, step by step ──nothing left──▶ idle ──stop──▶ stopped
 */
export class Signals {
  readonly #parts: SignalsParts;
  readonly #jobs: ReadonlyMap<string, Step>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #lastRunAt = 0;
  /** On the monotonic clock, so that a jump of the wall clock does not start a sweep. */
  #sweptAt = performance.now();

  constructor(parts: SignalsParts) {
    this.#parts = parts;
    const usage = new UsagePeriods(parts);
    const audit = new AuditStream(parts);
    this.#jobs = new Map<string, Step>([
      ['Sending expiry notices', (now) => this.#expiryStep(now)],
      ['Sending emails about notices', (now) => parts.mails.step(now)],
      ['Sending usage events', (now) => usage.step(now)],
      ['Sending audit events', (now) => audit.step(now)],
      ['Deleting old notices', (now) => this.#sweep(now)],
    ]);
  }

  /** Runs at once, which starts the audit stream: a webhook that is created soon after must miss no row. */
  start(): void {
    void this.run();
    this.#timer = setInterval(() => void this.run(), EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  /** Does everything that is due. A job that is still running is not started again. */
  async run(): Promise<void> {
    for (const [name, step] of this.#jobs) {
      if (this.#running.has(name)) continue;
      const running = this.#runJob(name, step).finally(() => this.#running.delete(name));
      this.#running.set(name, running);
    }
    await Promise.all(this.#running.values());
  }

  async #runJob(name: string, step: Step): Promise<void> {
    const { signal } = this.#stopping;
    try {
      while (!signal.aborted && (await step(this.#parts.clock())))
        await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
    } catch (error) {
      this.#parts.onError(error, `${name} failed; retrying`);
    }
  }

  async #expiryStep(now: number): Promise<boolean> {
    const { storage, outbox, mails } = this.#parts;
    await this.#checkClock(now);
    const isRescanned = await rescanStep(storage, now);
    const visited = await expiryStep({ storage, outbox, scheduleMails: mails.schedule }, now);
    return visited > 0 || isRescanned;
  }

  /**
   * Schedules all keys again if the clock was set back: while it was ahead, notices may have been skipped as
   * too old.
   */
  async #checkClock(now: number): Promise<void> {
    if (now < this.#lastRunAt - JUMP_MS) await rescanAll(this.#parts.storage);
    this.#lastRunAt = now;
  }

  async #sweep(now: number): Promise<boolean> {
    if (performance.now() - this.#sweptAt < SWEEP_EVERY_MS) return false;
    this.#sweptAt = performance.now();
    await sweepExpiryNotices(this.#parts.storage, now);
    await sweepThresholds(this.#parts.storage, now);
    return false;
  }
}
