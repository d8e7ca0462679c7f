/** The same threshold is not announced again within this time, nor in the same window. */
const EVERY_MS = 3_600_000;

/**
 * Finds the requests that reach a threshold of one limit. Between thresholds a request costs two
 * comparisons: `consumed >= next || now >= until`. Best effort, to spare the database: rows decide
 * whether another node, or this one before, has announced the threshold already.
 */
export class LimitWatch {
  /** In per cent, ascending. */
  readonly #percents: readonly number[];
  /** Look closer when so many requests are consumed. */
  next: number;
  /** Look closer at this time: thresholds that were announced may be reached again. */
  until = Number.POSITIVE_INFINITY;
  /** When each threshold may be announced again; null: none was announced yet. */
  #silentUntil: number[] | null = null;

  constructor(percents: readonly number[], limit: number) {
    this.#percents = percents;
    this.next = countAt(percents[0]!, limit);
  }

  /** The threshold to announce, in per cent; null: none. */
  cross(consumed: number, limit: number, windowEnds: number, now: number): number | null {
    const percents = this.#percents;
    this.#silentUntil ??= percents.map(() => 0);
    const silent = this.#silentUntil;
    const reached = percents.findLastIndex((percent) => consumed >= countAt(percent, limit));
    const isNew = reached >= 0 && silent[reached]! <= now;
    if (isNew) silent[reached] = Math.max(windowEnds, now + EVERY_MS);
    // Only the largest that is reached is announced, so smaller ones wait for the next window.
    for (let n = 0; n < reached; n++) silent[n] = Math.max(silent[n]!, windowEnds);
    const next = silent.findIndex((time, n) => n > reached && time <= now);
    this.next = next < 0 ? Number.POSITIVE_INFINITY : countAt(percents[next]!, limit);
    this.until = Math.min(...silent.map((time) => (time > now ? time : Number.POSITIVE_INFINITY)));
    return isNew ? percents[reached]! : null;
  }
}

/** The requests that make up this part of a limit, at least one. */
const countAt = (percent: number, limit: number): number =>
  Math.max(1, Math.ceil((percent * limit) / 100));
