import type { CounterState } from '../../cluster/counters/counters.ts';
import type { UsageTally } from '../analytics/index.ts';
import type { CreditLedger } from '../credits/index.ts';
import type { LimitedKey, PreparedKey } from './prepared-key.ts';
import type { Taken } from './wire/limit-report.ts';

type Count = Pick<CounterState, 'consumed' | 'others' | 'resetAt'>;

interface Parts {
  readonly credits: Pick<CreditLedger, 'takeNotice'>;
  readonly tally: Pick<UsageTally, 'addCrossing'>;
}

/** Records that a threshold of a limit is reached, or that few or no credits are left. */
export class NoticeRecorder {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  checkThresholds(key: LimitedKey, taken: Taken, now: number): void {
    if (taken === null) return;
    for (let n = 0; n < taken.states.length; n++)
      this.checkThreshold(key, n, taken.states[n]!, now);
  }

  /** `n`: the position of the limit among those of the key. */
  checkThreshold(key: LimitedKey, n: number, state: Count, now: number): void {
    const watch = key.watches?.[n];
    if (watch !== undefined && (state.consumed >= watch.nextCount || now >= watch.recheckAt))
      this.#recordThreshold(key, n, state, now);
  }

  /**
   * A node may count only its share of a limit. It then announces a threshold, such as 80 %, when that part
   * of its share is used.
   */
  #recordThreshold(key: LimitedKey, n: number, state: Count, now: number): void {
    const { consumed, others = 0, resetAt } = state;
    const { counter, limit, ttlMs, isSliding } = key.limits!.limits[n]!;
    const windowEnds = isSliding ? now + ttlMs : resetAt;
    const [used, share] = [consumed - others, limit - others];
    const percent = key.watches![n]!.thresholdToAnnounce(used, share, windowEnds, now);
    if (percent === null) return;
    const name = key.limitNames[n]!;
    const estimate = Math.min(Math.round((used / share) * limit), limit);
    const what = { counter, name, percent, consumed: estimate, limit, windowEnds };
    this.#parts.tally.addCrossing({ kind: 'limit', keySeq: key.seq, at: now, ...what });
  }

  checkCredits(key: PreparedKey, now: number): void {
    const notice = this.#parts.credits.takeNotice(key.credits!);
    if (notice !== null)
      this.#parts.tally.addCrossing({ kind: 'credits', keySeq: key.seq, at: now, ...notice });
  }
}
