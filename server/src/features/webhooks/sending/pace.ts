import { SLOTS_MAX } from './send-slots.ts';

const SAMPLE_MS = 100;
/** For how long unused allowance accumulates, for a claim that is late on a busy machine. */
const BURST_MS = 200;
/** Deliveries never stop, however many validations there are. */
const SLOWEST_PER_SECOND = 200;
/** More than any machine sends, so in effect no limit. */
const FASTEST_PER_SECOND = 50_000;
/** Utilization above which deliveries slow down, so that there is room for a burst of validations. */
const BUSY_UTILIZATION = 0.75;
/** With fewer validations per second, deliveries do not slow down. */
const BUSY_PER_SECOND = 1_000;
/** At full speed, slots that become free within this time are claimed together: a third less work. */
const GATHER_MS_MIN = 2;
const SLOWER = 0.5;
const FASTER = 1.25;

export interface Load {
  /** Validations answered since the start. */
  validations(): number;
  /** Utilization of this process since the last call, 0 to 1: see `createUtilization`. */
  utilization(): number;
  /** Monotonic time in milliseconds. */
  now(): number;
}

/**
 * Token bucket whose rate falls while validations keep the thread busy. Validations share the thread
 * with deliveries and are more urgent.
 */
export class Pace {
  readonly #load: Load;
  #perSecond = FASTEST_PER_SECOND;
  #tokens = FASTEST_PER_SECOND;
  #sampledAt: number;
  #refilledAt: number;
  #validations = 0;
  #started = 0;

  constructor(load: Load) {
    this.#load = load;
    this.#sampledAt = load.now();
    this.#refilledAt = this.#sampledAt;
  }

  /** Updated every 100 ms. */
  get perSecond(): number {
    this.#sampleIfDue(this.#load.now());
    return this.#perSecond;
  }

  /** How long to wait between claims: a claim costs the same for one delivery as for many. */
  get gatherMs(): number {
    return Math.max((SLOTS_MAX * 1000) / this.#perSecond, GATHER_MS_MIN);
  }

  /** How many deliveries may start now. */
  allowance(): number {
    const now = this.#load.now();
    this.#sampleIfDue(now);
    const earned = (this.#perSecond * (now - this.#refilledAt)) / 1000;
    const most = (this.#perSecond * BURST_MS) / 1000;
    this.#tokens = Math.min(this.#tokens + earned, most);
    this.#refilledAt = now;
    return Math.floor(this.#tokens);
  }

  onStarted(count: number): void {
    this.#tokens -= count;
    this.#started += count;
  }

  #sampleIfDue(now: number): void {
    if (now - this.#sampledAt < SAMPLE_MS) return;
    const validations = this.#load.validations();
    const rate = ((validations - this.#validations) * 1000) / (now - this.#sampledAt);
    // Read for every sample, so that it covers this sample only.
    const utilization = this.#load.utilization();
    const isBusy = rate > BUSY_PER_SECOND && utilization > BUSY_UTILIZATION;
    // Based on the actual rate: lowering a limit that is not reached would have no effect.
    const sent = (this.#started * 1000) / (now - this.#sampledAt);
    this.#perSecond = isBusy
      ? Math.max(Math.min(this.#perSecond, sent) * SLOWER, SLOWEST_PER_SECOND)
      : Math.min(this.#perSecond * FASTER, FASTEST_PER_SECOND);
    this.#started = 0;
    this.#validations = validations;
    this.#sampledAt = now;
  }
}
