import { PLACES_MAX } from './lanes.ts';

const SAMPLE_MS = 100;
/** A claim that comes late on a busy machine may make up for it, by this much. */
const SAVED_MS = 200;
/** Deliveries never stand still, however many validate. */
const SLOWEST_PER_SECOND = 200;
/** More than any machine sends: as good as no limit. */
const FASTEST_PER_SECOND = 50_000;
/** Room is made before the last of it is gone, so that a burst of validations finds some. */
const CROWDED = 0.75;
/** Validations a second from which there is somebody to make room for. */
const BUSY_PER_SECOND = 1_000;
/** At full speed: what becomes free in this time is claimed together, a third less work for each. */
const GATHER_MS_MIN = 2;
const SLOWER = 0.5;
const FASTER = 1.25;

export interface Load {
  /** Validations answered since the start. */
  validations(): number;
  /** How busy the thread or the machine has been since the last question: 0 to 1. */
  utilization(): number;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
}

/**
 * Makes room for validations: they share the thread with deliveries, and a backlog of events is in
 * no hurry. While both want more than there is, deliveries slow down until validations have nearly
 * all of it; as soon as there is time to spare they speed up again.
 */
export class Pace {
  readonly #load: Load;
  #perSecond = FASTEST_PER_SECOND;
  #mayBegin = FASTEST_PER_SECOND;
  #lookedAt: number;
  #refilledAt: number;
  #validations = 0;
  #begun = 0;

  constructor(load: Load) {
    this.#load = load;
    this.#lookedAt = load.now();
    this.#refilledAt = this.#lookedAt;
  }

  /** As of the last tenth of a second, whoever asks. */
  get perSecond(): number {
    this.#lookIfDue(this.#load.now());
    return this.#perSecond;
  }

  /**
   * How long to wait before the next claim, so that it is worth its price: a claim costs the same
   * for one delivery as for many, and one webhook alone can fill it.
   */
  get gatherMs(): number {
    return Math.max((PLACES_MAX * 1000) / this.#perSecond, GATHER_MS_MIN);
  }

  /** How many may begin now. */
  allowance(): number {
    const now = this.#load.now();
    this.#lookIfDue(now);
    const earned = (this.#perSecond * (now - this.#refilledAt)) / 1000;
    const most = (this.#perSecond * SAVED_MS) / 1000;
    this.#mayBegin = Math.min(this.#mayBegin + earned, most);
    this.#refilledAt = now;
    return Math.floor(this.#mayBegin);
  }

  began(count: number): void {
    this.#mayBegin -= count;
    this.#begun += count;
  }

  #lookIfDue(now: number): void {
    if (now - this.#lookedAt < SAMPLE_MS) return;
    const validations = this.#load.validations();
    const rate = ((validations - this.#validations) * 1000) / (now - this.#lookedAt);
    // Always asked, so that the answer is about this sample.
    const utilization = this.#load.utilization();
    const isCrowded = rate > BUSY_PER_SECOND && utilization > CROWDED;
    // From what went out and not from what might have: a limit that nobody reaches slows nobody.
    const sent = (this.#begun * 1000) / (now - this.#lookedAt);
    this.#perSecond = isCrowded
      ? Math.max(Math.min(this.#perSecond, sent) * SLOWER, SLOWEST_PER_SECOND)
      : Math.min(this.#perSecond * FASTER, FASTEST_PER_SECOND);
    this.#begun = 0;
    this.#validations = validations;
    this.#lookedAt = now;
  }
}
