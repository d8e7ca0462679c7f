import { hash } from 'node:crypto';
import type { Conditions } from '@keyward/rules/check-key.ts';
import { amountOf, CREDITS } from '@keyward/rules/cost.ts';
import { costAt } from '@keyward/rules/limit-set.ts';
import { REFUSALS } from '@keyward/rules/outcomes.ts';
import { missing } from '@keyward/rules/permissions.ts';
import { CoherentCache } from '../../cluster/cache/coherent-cache.ts';
import type { Change, ChangeFeed } from '../../cluster/change-bus/change-bus.ts';
import type { Counters, TakeAllResult, TakeResult } from '../../cluster/counters/counters.ts';
import { FairQueue } from '../../kernel/fair-queue.ts';
import type { HeldResponse, ResponseBudget } from '../../kernel/response-budget.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { shapeOf } from '../../kernel/secrets/key-values.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { CountedUse, UsageTally } from '../analytics/index.ts';
import type { KeyWithLevels } from '../api-keys/index.ts';
import type { CreditLedger, CreditPool, Reservation } from '../credits/index.ts';
import { type ChangeCounts, SharedPolicies } from '../policies/index.ts';
import type { ProjectStates } from '../projects/index.ts';
import { NoticeRecorder } from './notices.ts';
import { PreparedKey } from './prepared-key.ts';
import { recordRefusal } from './record-refusal.ts';
import type { Refusal } from './rules.ts';
import {
  type Caller,
  type Lookup,
  noOutcomes,
  refusalOf,
  rejectUndeclaredUnits,
  type Verdict,
} from './verdict.ts';
import {
  costNeverFits,
  isAllowed,
  limitCosts,
  refusingLimit,
  type Taken,
} from './wire/limit-report.ts';

/** Reads one key of an account by its stored hash; synchronously where the database is embedded. */
export type ReadKey = (
  accountId: string,
  hash: string,
) => KeyWithLevels | undefined | Promise<KeyWithLevels | undefined>;

interface ValidatorParts {
  readonly readKey: ReadKey;
  readonly secrets: Secrets;
  readonly counters: Counters;
  readonly credits: Pick<CreditLedger, 'reserve' | 'putBack' | 'takeNotice'>;
  readonly bus: ChangeFeed;
  readonly projects: ProjectStates;
  readonly levelChanges: ChangeCounts;
  readonly tally: UsageTally;
  readonly clock: Clock;
  readonly cacheBytes: number;
  readonly responses: ResponseBudget;
}

/** Kinds of changes that can affect any key. A key that is being read when one arrives must be read again. */
const AFFECTS_ANY_KEY: ReadonlySet<Change['kind']> = new Set(['project', 'plan', 'customer']);

/**
 * Validates keys. A validation is a lookup (`find`), then a decision that also counts the use (`decide`).
 * Both methods return without a promise if the key is cached and its limits and credits are counted in
 * memory.
 */
export class Validator {
  readonly #parts: ValidatorParts;
  /** Reads from storage: at most 8 at a time for one account. */
  readonly #reads = new FairQueue({ perCaller: 8 });
  /** Slices of batches: one in each turn of the event loop for one account. */
  readonly #slices = new FairQueue({ perCaller: 1 });
  readonly #policies = new SharedPolicies();
  readonly cache: CoherentCache<PreparedKey>;
  readonly notices: NoticeRecorder;
  /** Validations since the start, by result. */
  readonly outcomes = noOutcomes();

  constructor(parts: ValidatorParts) {
    this.#parts = parts;
    this.cache = new CoherentCache(parts.cacheBytes);
    this.notices = new NoticeRecorder(parts);
    parts.bus.subscribe((changes) => {
      for (const change of changes) {
        if (change.kind === 'api-key') this.cache.drop(change.id, change.hash);
        else if (change.kind === 'everything') this.cache.clear();
        else if (AFFECTS_ANY_KEY.has(change.kind)) this.cache.invalidateFills();
      }
    });
  }

  validate(caller: Caller, value: string, conditions: Conditions): Verdict | Promise<Verdict> {
    const found = this.find(caller, value);
    return found instanceof Promise
      ? found.then((resolved) => this.decide(caller, resolved, conditions))
      : this.decide(caller, found, conditions);
  }

  /** The key of a value, from the cache or else from storage. Counts nothing. */
  find(caller: Caller, value: string): Lookup | Promise<Lookup> {
    // The account is part of the cache key: two accounts may hold the same value. The account id is
    // not hashed with the value: without it, a value with a default prefix fits in one SHA-256 block.
    const cacheKey = caller.accountId + hash('sha256', value, 'latin1');
    const key = this.cache.get(cacheKey);
    if (key !== undefined) return key;
    // Cached values are well-formed, so only a miss needs this check.
    if (shapeOf(value) === 'malformed') return 'key_malformed';
    const read = this.#read(cacheKey, caller, value);
    return read instanceof Promise
      ? read.then((resolved) => resolved ?? 'key_not_found')
      : (read ?? 'key_not_found');
  }

  /** Decides, takes the cost from the limits and credits of the key, and counts the use. */
  decide(caller: Caller, found: Lookup, conditions: Conditions): Verdict | Promise<Verdict> {
    const now = this.#parts.clock();
    const refusal = refusalOf(caller, found, conditions, now);
    rejectUndeclaredUnits(found, refusal, conditions.cost);
    if (refusal !== null) return this.refuse(caller, found, refusal, conditions, now);
    const key = found as PreparedKey;
    if (key.credits !== null) return this.#decidePaid(caller, key, key.credits, conditions, now);
    const taken = this.#take(key, conditions, now);
    return taken instanceof Promise
      ? taken.then((resolved) => this.#conclude(caller, key, resolved, null, conditions, now))
      : this.#conclude(caller, key, taken, null, conditions, now);
  }

  /** Reserves credits before it takes from the limits. */
  #decidePaid(
    caller: Caller,
    key: PreparedKey,
    pool: CreditPool,
    conditions: Conditions,
    now: number,
  ): Verdict | Promise<Verdict> {
    const { credits, clock } = this.#parts;
    const reserved = credits.reserve(pool, amountOf(conditions.cost, CREDITS), now);
    // After a wait the time is read again: the counters would mistake an old time for a clock that was set
    // back.
    return reserved instanceof Promise
      ? reserved.then((resolved) => this.#takePaid(caller, key, resolved, conditions, clock()))
      : this.#takePaid(caller, key, reserved, conditions, now);
  }

  /**
   * If too few credits are left, the limits are checked but nothing is taken: a limit that refuses is
   * reported before missing credits.
   */
  #takePaid(
    caller: Caller,
    key: PreparedKey,
    credits: Reservation | null,
    conditions: Conditions,
    now: number,
  ): Verdict | Promise<Verdict> {
    const hasEnoughCredits = credits === null || credits.isGranted;
    const taken = hasEnoughCredits
      ? this.#take(key, conditions, now)
      : this.#takeSet(key, conditions, now, true);
    if (!(taken instanceof Promise))
      return this.#conclude(caller, key, taken, credits, conditions, now);
    return taken.then(
      (resolved) => this.#conclude(caller, key, resolved, credits, conditions, now),
      (error) => {
        if (credits?.isGranted) this.#putBack(key, credits, conditions);
        throw error;
      },
    );
  }

  /** What the limits of a key would decide about a request. Takes nothing. */
  wouldTake(key: PreparedKey, use: CountedUse, now: number): Taken | Promise<Taken> {
    return this.#takeSet(key, use, now, true);
  }

  /** Called before each slice of a batch: waits, if necessary, until other requests have had their turn. */
  takeTurn(caller: Caller): void | Promise<void> {
    return this.#slices.run(caller.accountId, () => {});
  }

  /** Reserves memory for the response of a batch. */
  reserveResponse({ accountId }: Caller, bytes: number): HeldResponse | Promise<HeldResponse> {
    return this.#parts.responses.reserve({ name: accountId }, bytes);
  }

  #read(
    cacheKey: string,
    caller: Caller,
    value: string,
  ): PreparedKey | null | Promise<PreparedKey | null> {
    const stored = this.#parts.secrets.hashValue(value);
    return this.cache.fill(cacheKey, stored, () => {
      const row = this.#reads.run(caller.accountId, () =>
        this.#parts.readKey(caller.accountId, stored),
      );
      return row instanceof Promise
        ? row.then((resolved) => this.#prepareIfFound(resolved))
        : this.#prepareIfFound(row);
    });
  }

  #prepareIfFound(row: KeyWithLevels | undefined): PreparedKey | null {
    return row === undefined ? null : this.prepare(row);
  }

  /** A key as the checks need it. */
  prepare(row: KeyWithLevels): PreparedKey {
    const { projects, levelChanges: changes } = this.#parts;
    const project = projects.of(row.project_id, row.project_is_active === 1);
    return new PreparedKey(row, { project, policies: this.#policies.of(row), changes });
  }

  #take(key: PreparedKey, use: CountedUse, now: number): Taken | Promise<Taken> {
    if (key.rateLimit === 0 || use.cost !== 1) return this.#takeSet(key, use, now, false);
    // The usual case: one counter and a cost of 1.
    const { limitGroup, rateLimit, rateLimitTtlMs } = key;
    const taken = this.#parts.counters.take(limitGroup, rateLimit, rateLimitTtlMs, now);
    return taken instanceof Promise
      ? taken.then((each) => resultOfOnlyLimit(each, rateLimit))
      : resultOfOnlyLimit(taken, rateLimit);
  }

  #takeSet(
    key: PreparedKey,
    { cost, resource }: CountedUse,
    now: number,
    isDry: boolean,
  ): Taken | Promise<Taken> {
    const limited = key.limitedFor(resource);
    const { limits } = limited;
    if (limits === null) return null;
    return this.#parts.counters.takeAll(limits, limitCosts(limited, cost), now, isDry);
  }

  /** The verdict when limits and credits have been counted. */
  #conclude(
    caller: Caller,
    key: PreparedKey,
    taken: Taken,
    credits: Reservation | null,
    conditions: Conditions,
    now: number,
  ): Verdict {
    const { tally } = this.#parts;
    const limited = key.limitedFor(conditions.resource);
    if (limited.watches !== null) this.notices.checkThresholds(limited, taken, now);
    if (!isAllowed(taken)) {
      this.outcomes.limited++;
      tally.count('rate_limited', key, caller, now, conditions);
      const costs = limitCosts(limited, conditions.cost);
      recordRefusal(tally.refusalSampler, caller, key, conditions, now, {
        code: 'rate_limited',
        limit: refusingLimit({ key: limited, taken }),
        cost: costAt(costs, taken!.refusedBy),
      });
      const neverFits = costNeverFits(limited, costs);
      const putBack = credits && this.#putBack(key, credits, conditions);
      return { kind: 'limited', neverFits, key: limited, taken, credits: putBack };
    }
    if (credits?.isLow) this.notices.checkCredits(key, now);
    if (credits !== null && !credits.isGranted) {
      this.outcomes.credits_exhausted++;
      tally.count('credits_exhausted', key, caller, now, conditions);
      recordRefusal(tally.refusalSampler, caller, key, conditions, now, {
        code: 'credits_exhausted',
      });
      return { kind: 'exhausted', key: limited, taken, credits };
    }
    this.outcomes.valid++;
    tally.count('valid', key, caller, now, conditions);
    return { kind: 'valid', key: limited, taken, credits };
  }

  /** Puts the reserved credits back: a limit refused the request, so it costs nothing. */
  #putBack(key: PreparedKey, credits: Reservation, { cost }: CountedUse): Reservation {
    if (!credits.isGranted) return credits;
    const amount = amountOf(cost, CREDITS);
    this.#parts.credits.putBack(key.credits!, amount, credits);
    return { ...credits, remaining: credits.remaining + amount };
  }

  /** Counts a refusal, and names the missing permissions. */
  refuse(
    caller: Caller,
    found: Lookup,
    code: Refusal,
    conditions: Conditions,
    now: number,
  ): Extract<Verdict, { kind: 'refused' }> {
    const { tally } = this.#parts;
    this.outcomes[code]++;
    // A key of another project is unknown to this caller, so nothing is counted for the key itself.
    if (typeof found === 'string' || code === 'key_not_found' || code === 'key_malformed') {
      tally.countMiss(REFUSALS[code].counted, caller, now);
      return { kind: 'refused', code };
    }
    tally.count(REFUSALS[code].counted, found, caller, now, conditions);
    const lacking =
      code === 'permission_denied'
        ? { missing: missing(conditions.requirement!, found.grants) }
        : {};
    recordRefusal(tally.refusalSampler, caller, found, conditions, now, { code, ...lacking });
    return { kind: 'refused', code, ...lacking };
  }
}

const resultOfOnlyLimit = (
  { allowed, consumed, others, resetAt }: TakeResult,
  limit: number,
): TakeAllResult => ({
  refusedBy: allowed ? -1 : 0,
  states: [{ consumed: Math.min(consumed, limit), others, resetAt, isExceeded: !allowed }],
});
