import { REPEAT_AFTER_MS } from '../projects/index.ts';

/**
 * Finds the requests that reach a threshold of one limit. Between thresholds a request costs two
 * comparisons: `consumed >= nextCount || now >= recheckAt`; more where a node counts only its share of the
 * limit. Best effort, to spare the database: the row in `threshold_notices` decides whether another node, or
 * this one before, has announced the threshold.
 */
export class LimitWatch {
  /** In per cent, ascending. */
  readonly #percents: readonly number[];
  /** Number of consumed requests at which a threshold may be reached. */
  nextCount: number;
  /** From this time on, thresholds that were announced may be announced again. */
  recheckAt = Number.POSITIVE_INFINITY;
  /** When each threshold may be announced again; null: none was announced yet. */
  #silentUntil: number[] | null = null;

  constructor(percents: readonly number[], limit: number) {
    this.#percents = percents;
    this.nextCount = countAt(percents[0]!, limit);
  }

  /** The threshold to announce, in per cent; null: none. */
  cross(consumed: number, limit: number, windowEnds: number, now: number): number | null {
    const percents = this.#percents;
    this.#silentUntil ??= percents.map(() => 0);
    const silent = this.#silentUntil;
    const reached = percents.findLastIndex((percent) => consumed >= countAt(percent, limit));
    const isNew = reached >= 0 && silent[reached]! <= now;
    if (isNew) silent[reached] = Math.max(windowEnds, now + REPEAT_AFTER_MS);
    // Only the largest that is reached is announced, so smaller ones wait for the next window.
    for (let n = 0; n < reached; n++) silent[n] = Math.max(silent[n]!, windowEnds);
    const next = silent.findIndex((time, n) => n > reached && time <= now);
    this.nextCount = next < 0 ? Number.POSITIVE_INFINITY : countAt(percents[next]!, limit);
    this.recheckAt = Math.min(
      ...silent.map((time) => (time > now ? time : Number.POSITIVE_INFINITY)),
    );
    return isNew ? percents[reached]! : null;
  }
}

/** The requests that make up this part of a limit, at least one. */
const countAt = (percent: number, limit: number): number =>
  Math.max(1, Math.ceil((percent * limit) / 100));
