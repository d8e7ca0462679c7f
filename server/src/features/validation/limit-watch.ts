import { REPEAT_AFTER_MS } from '../projects/index.ts';

/**
 * Finds the requests that reach a threshold of one limit. Between thresholds a request costs two comparisons:
 * `consumed >= nextCount || now >= recheckAt`. If the node counts only its share of the limit,
 * `thresholdToAnnounce` is called more often. This class only saves queries: the row in
 * `threshold_notices` decides whether a threshold was already announced, by this node or another.
 */
export class LimitWatch {
  /** In per cent, ascending. */
  readonly #percents: readonly number[];
  /** Number of consumed requests at which the next threshold may be reached. */
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
  thresholdToAnnounce(
    consumed: number,
    limit: number,
    windowEnds: number,
    now: number,
  ): number | null {
    const percents = this.#percents;
    this.#silentUntil ??= percents.map(() => 0);
    const silent = this.#silentUntil;
    const reached = percents.findLastIndex((percent) => consumed >= countAt(percent, limit));
    const isNew = reached >= 0 && silent[reached]! <= now;
    if (isNew) silent[reached] = Math.max(windowEnds, now + REPEAT_AFTER_MS);
    // Only the largest threshold that is reached is announced. Smaller ones stay silent until the next
    // window.
    for (let n = 0; n < reached; n++) silent[n] = Math.max(silent[n]!, windowEnds);
    const next = silent.findIndex((time, n) => n > reached && time <= now);
    this.nextCount = next < 0 ? Number.POSITIVE_INFINITY : countAt(percents[next]!, limit);
    this.recheckAt = Math.min(
      ...silent.map((time) => (time > now ? time : Number.POSITIVE_INFINITY)),
    );
    return isNew ? percents[reached]! : null;
  }
}

/** The number of requests in this percentage of a limit, at least one. */
const countAt = (percent: number, limit: number): number =>
  Math.max(1, Math.ceil((percent * limit) / 100));
