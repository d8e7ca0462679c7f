import { indexOfRefusingLimit } from '@keyward/rules/limit-set.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type {
  CounterLimit,
  LeaseRequest,
  LeaseResult,
  OpenWindow,
  TakeAllResult,
  TakeResult,
} from '../counters.ts';
import { ClockOffset } from './clock-offset.ts';
import { KnownWindows } from './known-windows.ts';
import { LocalCounts, type LocalCountsParts } from './local-counts.ts';
import { amountAt, type Grant, type SetCheck, type SetGrant, type WindowCheck } from './windows.ts';

interface LocalDecisionsParts extends Pick<LocalCountsParts, 'isConnected' | 'merge' | 'raise'> {
  /** Live nodes, this one included. */
  readonly nodes: () => number;
  readonly clock: Clock;
}

/** What this node decided about one counter because the reply was late. */
export type LocalDecision = Pick<LeaseResult, 'granted' | 'resetAt'>;

/**
 * Reads the replies of Redis, and decides from their counts when it does not reply. Three cases:
 *
 * - Redis replies in time: `read…` stores its counts.
 * - Redis does not count the request: `take…` decides, and the count is sent to Redis as soon as possible.
 * - Redis may count the request, but its reply is late: `decide…` decides. When the reply comes or is
 *   lost, `correct…` sends Redis the difference.
 */
export class LocalDecisions {
  readonly #clock: Clock;
  readonly #known: KnownWindows;
  readonly #offset = new ClockOffset();
  /** Counts not yet sent to Redis. */
  readonly counts: LocalCounts;
  /** Checks decided on this node only. */
  checks = 0;

  constructor({ nodes, clock, isConnected, merge, raise }: LocalDecisionsParts) {
    this.#clock = clock;
    this.#known = new KnownWindows(nodes);
    this.counts = new LocalCounts({
      clock,
      isConnected,
      merge,
      raise,
      onRaised: (counter, grant) => this.read(counter, grant, clock(), false),
      onMerged: ({ counter, amount }, grant) => {
        this.read(counter, grant, clock(), false);
        this.#known.subtractMerged(counter, amount);
      },
    });
  }

  /** Continues windows that were counted before Redis was configured. */
  load(windows: Iterable<OpenWindow>, now: number): void {
    for (const { counter, consumed, resetAt, sliding } of windows) {
      // The previous window is counted in the open one, so that no more is admitted than is left.
      const amount = consumed + (sliding?.previous ?? 0);
      this.#known.load(counter, amount, resetAt, now);
      this.counts.add({ counter, amount, resetAt, slidingMs: sliding?.windowMs ?? 0 }, now);
    }
  }

  /** The time of Redis, as far as it is known. */
  redisTime(now: number): number {
    return this.#offset.toRedis(now);
  }

  /** Another server became master: sends it the last counts of the previous master. */
  onFailover(): void {
    this.counts.restoreCounts(this.#known.lastReplies(this.#clock()));
  }

  /** `isCaughtUp`: see `Shard`; the count then includes what all nodes admitted. */
  read(counter: string, grant: Grant, now: number, isCaughtUp: boolean): LeaseResult {
    const [granted, consumed, redisReset, redisNow] = grant;
    this.#offset.observe(now, redisNow, this.#clock());
    const result = { granted, consumed, resetAt: this.#offset.toLocal(redisReset) };
    if (redisReset > 0) this.#known.observe(counter, result, now, isCaughtUp);
    return result;
  }

  readSet(check: SetCheck, grant: SetGrant, now: number, isCaughtUp: boolean): TakeAllResult {
    const { limits } = check.set;
    for (const [n, each] of grantsOf(check, grant).entries())
      if (each !== null) this.read(limits[n]!.counter, each, now, isCaughtUp);
    const states = grant.windows.map(({ isExceeded, consumed, resetAt }, n) => ({
      consumed: Math.min(consumed, limits[n]!.limit),
      resetAt: this.#offset.toLocal(resetAt),
      isExceeded,
    }));
    return { refusedBy: indexOfRefusingLimit(limits, states, check.costs), states };
  }

  take(check: WindowCheck, now: number): TakeResult {
    const taken = this.decide(check, now);
    const { allowed, resetAt } = taken;
    const { counter } = check;
    if (allowed) this.counts.add({ counter, amount: 1, resetAt, slidingMs: 0 }, now);
    return taken;
  }

  takeSet(check: SetCheck, now: number): TakeAllResult {
    const result = this.decideSet(check, now);
    for (const [n, { granted, resetAt }] of decisionsOf(check, result).entries())
      this.#add(check.set.limits[n]!, granted, resetAt, now);
    return result;
  }

  lease(request: LeaseRequest, now: number): LeaseResult {
    const leased = this.decideLease(request, now);
    this.#add(request, leased.granted, leased.resetAt, now);
    return leased;
  }

  /** Returns the unused requests of a lease that was granted here. The result is their number. */
  giveBack(id: string, counter: string, unused: number, now: number): number {
    const { returned, resetAt } = this.#known.giveBack(id, counter, unused, now);
    if (returned > 0) this.counts.add({ counter, amount: -returned, resetAt, slidingMs: 0 }, now);
    return returned;
  }

  decide(check: WindowCheck, now: number): TakeResult {
    this.checks++;
    return this.#known.take(check, now);
  }

  decideSet({ set, costs, isDry }: SetCheck, now: number): TakeAllResult {
    this.checks++;
    return this.#known.takeAll(set, costs, now, isDry);
  }

  decideLease(request: LeaseRequest, now: number): LeaseResult {
    this.checks++;
    return this.#known.lease(request, now);
  }

  /** `grant`: the late reply, or null if it was lost. */
  correct(
    limit: Pick<CounterLimit, 'counter' | 'ttlMs' | 'isSliding'>,
    decision: LocalDecision,
    grant: Grant | null,
    sentAt: number,
  ): void {
    const { counter } = limit;
    // The decision is already counted as admitted by this node. So the reply is read as if it granted 0.
    const { resetAt } =
      grant === null
        ? decision
        : this.read(counter, [0, grant[1], grant[2], grant[3]], sentAt, false);
    const granted = grant?.[0] ?? 0;
    this.#known.subtractMerged(counter, granted);
    const now = Math.max(sentAt, this.#clock());
    this.#add(limit, decision.granted - granted, resetAt, now);
  }

  correctSet(
    check: SetCheck,
    decided: TakeAllResult,
    grant: SetGrant | null,
    sentAt: number,
  ): void {
    const grants = grant && grantsOf(check, grant);
    for (const [n, decision] of decisionsOf(check, decided).entries())
      this.correct(check.set.limits[n]!, decision, grants?.[n] ?? null, sentAt);
  }

  #add(
    { counter, ttlMs, isSliding }: Pick<CounterLimit, 'counter' | 'ttlMs' | 'isSliding'>,
    amount: number,
    resetAt: number,
    now: number,
  ): void {
    if (amount === 0) return;
    this.counts.add({ counter, amount, resetAt, slidingMs: isSliding ? ttlMs : 0 }, now);
  }
}

/** What was taken from each counter of a set. */
const decisionsOf = (
  check: SetCheck,
  { refusedBy, states }: TakeAllResult,
): readonly LocalDecision[] =>
  states.map(({ isExceeded, resetAt }, n) => ({
    granted: refusedBy >= 0 || isExceeded ? 0 : amountAt(check, n),
    resetAt,
  }));

/** The reply for each counter of a set, like that to a single check; null if no window is open. */
function grantsOf(check: SetCheck, { windows, now }: SetGrant): readonly (Grant | null)[] {
  const { limits } = check.set;
  const isRefused = limits.some(({ isEnforced }, n) => isEnforced && windows[n]!.isExceeded);
  return windows.map(({ isExceeded, consumed, closesAt }, n) =>
    closesAt === 0
      ? null
      : [isRefused || isExceeded ? 0 : amountAt(check, n), consumed, closesAt, now],
  );
}
