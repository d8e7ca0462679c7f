import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Storage } from '../../storage/index.ts';
import type { Outbox } from '../changes/index.ts';
import { AuditStream } from './audit-stream.ts';
import { sweepThresholds } from './crossings.ts';
import { expiryStep, rescanAll, rescanStep, sweepExpiryNotices } from './expiry/notices.ts';
import type { NoticeMails } from './mails.ts';
import { UsagePeriods } from './usage-periods.ts';

const EVERY_MS = 2_000;
/** Between two steps, so that other writers and deliveries get room: 100,000 keys take 10 s. */
const PAUSE_MS = 20;
/** A clock that goes back less is only being adjusted. */
const JUMP_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;

interface SignalsParts {
  readonly storage: Storage;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly mails: NoticeMails;
  readonly foldJournal: () => Promise<void>;
  readonly onError: (error: unknown, doing: string) => void;
}

/**
 * Sends what is due by time: notices of expiry, mails, usage events, audit events. All state is in the
 * database, in the transaction of each step, so that any number of nodes may run this, and a node that
 * was down continues where it stopped.
 *
 *   idle ──every 2 s──▶ running, step by step ──nothing left──▶ idle ──stop──▶ stopped
 */
export class Signals {
  readonly #parts: SignalsParts;
  readonly #usage: UsagePeriods;
  readonly #audit: AuditStream;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #lastRunAt = 0;
  /** Time since the start of the process, so that a clock that jumps ahead for a while deletes nothing. */
  #sweptAt = performance.now();

  constructor(parts: SignalsParts) {
    this.#parts = parts;
    this.#usage = new UsagePeriods(parts);
    this.#audit = new AuditStream(parts);
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  /** Does everything that is due. One run at a time. */
  run(): Promise<void> {
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #runOnce(): Promise<void> {
    const { storage, outbox, clock, mails } = this.#parts;
    await this.#try('Checking for a clock set back failed; retrying', () => this.#checkClock());
    await this.#steps('expiry notices', async () => {
      const isRescanned = await rescanStep(storage, clock());
      return (
        (await expiryStep({ storage, outbox, scheduleMails: mails.schedule }, clock())) > 0 ||
        isRescanned
      );
    });
    await this.#steps('emails about notices', () => mails.step(clock()));
    await this.#steps('usage events', () => this.#usage.step(clock()));
    await this.#steps('audit events', () => this.#audit.step(clock()));
    await this.#try('Deleting old notices failed; retrying', () => this.#sweep());
  }

  /** Runs a step until it reports that nothing is left. */
  async #steps(what: string, step: () => Promise<boolean>): Promise<void> {
    await this.#try(`Sending ${what} failed; retrying`, async () => {
      while (!this.#isStopping && (await step()))
        await sleep(PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
    });
  }

  async #try(doing: string, work: () => Promise<unknown>): Promise<void> {
    if (this.#isStopping) return;
    try {
      await work();
    } catch (error) {
      this.#parts.onError(error, doing);
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** While the clock was ahead, notices may have been skipped as too old. */
  async #checkClock(): Promise<void> {
    const now = this.#parts.clock();
    if (now < this.#lastRunAt - JUMP_MS) await rescanAll(this.#parts.storage);
    this.#lastRunAt = now;
  }

  async #sweep(): Promise<void> {
    if (performance.now() - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = performance.now();
    const { storage, clock } = this.#parts;
    const now = clock();
    await sweepExpiryNotices(storage, now);
    await sweepThresholds(storage, now);
  }
}
