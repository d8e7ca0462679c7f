import type { Breaker } from '../http/breaker.ts';
import { KeywardError } from '../http/errors.ts';
import type { CallOptions } from '../http/options.ts';
import { createProblemLog } from '../http/problem-log.ts';
import type { Refused } from '../validation/outcome.ts';
import type { LocalConditions } from './conditions.ts';
import { Entries } from './entries.ts';
import { Entry } from './entry.ts';
import { LeaseReturns } from './leases/lease-returns.ts';
import type { LeasedAmount } from './leases/leased-amount.ts';
import { Leases } from './leases/leases.ts';
import type { QuotaResult, Quotas, WantedLeases } from './leases/quotas.ts';
import { type LocalOptions, staleMsOf } from './options.ts';
import { type LeaseResponse, ServerRequests } from './server.ts';
import { Freshness } from './stream/freshness.ts';
import { Watch } from './stream/watch.ts';
import { UnleasedValues } from './unleased-values.ts';
import { Usage } from './usage.ts';
import { type KeyValues, type WarmUpOptions, type WarmUpResult, warmUp } from './warm-up.ts';

/** What the limits and credits of a key decided. */
export interface Counted {
  readonly entry: Entry;
  readonly quotas: Quotas;
  readonly quotaResult: QuotaResult;
}

export type Decision =
  /** Valid; the key has neither limits nor credits. */
  | Entry
  | Counted
  /** Refused, either here or by the server; not because of limits or credits. */
  | Refused
  /** An ordinary validation by the server must decide. Nothing was counted here. */
  | 'ask';

const MAX_KEYS = 200_000;
const REPORT_EVERY_MS = 1_000;
/**
 * Leases are returned after at most this long without use. Short, because leased credits count as spent after
 * 30 s.
 */
const IDLE_MS_MAX = 1_000;
const CLOSE_MS = 5_000;
const CLOSE_RETRY_MS = 100;
/**
 * How many times a validation waits for the lease request of another one before the server is asked to
 * validate.
 */
const JOINS_MAX = 3;

/**
 * Decides validations from cached keys and leases, which a stream of changes keeps up to date.
 * `LocalKeyward` and the edge of the server turn its decisions into results. While the stream is
 * silent, `decide` returns `ask`.
 */
export class Decider {
  readonly #server: ServerRequests;
  readonly #freshness = new Freshness();
  readonly #watch: Watch;
  readonly #entries: Entries;
  readonly #usage: Usage;
  readonly #returns: LeaseReturns;
  readonly #leases: Leases;
  readonly #unleased = new UnleasedValues();
  readonly #pending = new Map<string, Promise<unknown>>();
  /** Requests for leases in progress. */
  readonly #requests = new Set<Promise<unknown>>();
  readonly #timers: readonly ReturnType<typeof setInterval>[];
  /** How long cached keys are served while the server is unavailable; null: not at all. */
  readonly #staleMs: number | null;
  #isClosed = false;

  constructor(options: LocalOptions, breaker: Breaker) {
    this.#server = new ServerRequests(options, breaker);
    this.#staleMs = staleMsOf(options);
    this.#returns = new LeaseReturns((leases) => this.#server.returnLeases(leases));
    this.#leases = new Leases(this.#returns);
    this.#entries = new Entries(options.maxKeys ?? MAX_KEYS, (entry) => this.#closeQuotas(entry));
    this.#usage = new Usage((report) => this.#server.report(report));
    const logProblem = createProblemLog(options.log);
    this.#watch = new Watch({
      freshness: this.#freshness,
      request: (signal, cursor) => this.#server.changes(signal, cursor),
      onChange: (id) => {
        if (id.startsWith('key_')) this.#entries.dropKey(id);
        else this.#entries.dropGroup(id);
      },
      onReset: () => this.#entries.clear(),
      onProblem: (problem) =>
        logProblem(
          'Keyward: cannot open the stream of changes; every key is validated over HTTP',
          problem,
        ),
    });
    const { reportEveryMs = REPORT_EVERY_MS } = options;
    const idleMs = Math.min(reportEveryMs, IDLE_MS_MAX);
    this.#timers = [
      setInterval(() => void this.#usage.flush(), reportEveryMs),
      setInterval(() => this.#returnIdle(idleMs), idleMs),
    ];
    this.#watch.start();
  }

  /** Resolves when the first stream of changes has started. */
  get started(): Promise<void> {
    return this.#watch.started;
  }

  /** Number of cached keys. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whether cached keys may be used. */
  get isFresh(): boolean {
    return this.#freshness.isFresh(performance.now());
  }

  /** Whether keys can be decided here: they may be used, or would be served if the server were unavailable. */
  get isServing(): boolean {
    return this.isFresh || (this.#staleMs !== null && this.behindMs <= this.#staleMs);
  }

  /** Changes older than this have all been received; infinite before the first stream and after a gap. */
  get behindMs(): number {
    return this.#freshness.behindMs(performance.now());
  }

  /** The cached key of a value. */
  peek(value: string): Entry | undefined {
    return this.#entries.get(value);
  }

  /** Caches these keys without leases, once a stream of changes has started. */
  async warmUp(values: KeyValues, options: WarmUpOptions): Promise<WarmUpResult> {
    await abortable(this.started, options.signal);
    const entries = this.#entries;
    return warmUp(values, options, {
      has: (value) => entries.get(value) !== undefined,
      get room() {
        return entries.room;
      },
      describe: (batch, signal) => this.#server.describe(batch, { signal }),
      add: (value, response) => {
        const entry = this.#cache(value, response);
        const { body, requestedAt } = response;
        this.#leases.grant(body, NOTHING_WANTED, requestedAt, performance.now());
        if (entry.isDropped) this.#closeQuotas(entry);
        return !entry.isDropped;
      },
    });
  }

  /** Synchronous for a cached key whose leases suffice. */
  decide(
    value: string,
    conditions: LocalConditions,
    options: CallOptions = {},
  ): Decision | Promise<Decision> {
    const now = performance.now();
    if (!this.#freshness.isFresh(now)) return 'ask';
    const entry = this.#entries.get(value);
    return entry === undefined
      ? this.#fetch(value, conditions, options, 0)
      : this.#decide(entry, value, conditions, options, now, 0);
  }

  /**
   * Decides about a cached key when the server was asked and is unavailable, with `serve-known`: changes of the last
   * `staleSeconds` may be missing, older ones have arrived. `ask`: older ones may be missing too, the key is not cached,
   * or its leases do not suffice.
   */
  decideStale(value: string, conditions: LocalConditions): Decision {
    if (this.#staleMs === null || this.behindMs > this.#staleMs) return 'ask';
    const entry = this.#entries.get(value);
    if (entry === undefined) return 'ask';
    const now = performance.now();
    return this.#decideLocally(entry, conditions, now + this.#freshness.sleptMs(now));
  }

  /**
   * Reports usage and waits for the lease requests in progress. Then it returns all leases and reports the
   * rest: repeatedly until 5 s after the call, and at least once, however long those requests took. Later
   * decisions are `ask`.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#watch.close();
    const deadline = performance.now() + CLOSE_MS;
    // Waits for the lease requests, so that what they grant is returned too.
    await Promise.allSettled([...this.#requests, this.#usage.flush()]);
    this.#entries.clear();
    for (;;) {
      await Promise.all([this.#usage.flush(), this.#returns.flush()]);
      if ((this.#usage.isEmpty && this.#returns.isEmpty) || performance.now() >= deadline) return;
      await pause(CLOSE_RETRY_MS);
    }
  }

  #decide(
    entry: Entry,
    value: string,
    conditions: LocalConditions,
    options: CallOptions,
    now: number,
    joins: number,
  ): Decision | Promise<Decision> {
    const decided = this.#decideLocally(entry, conditions, now);
    if (decided === 'ask') return this.#fetch(value, conditions, options, joins);
    const { quotas } = entry;
    if (quotas === null || !('quotaResult' in decided) || decided.quotaResult.outcome !== 'valid')
      return decided;
    const low = quotas.low(now);
    if (low.length > 0) this.#renew(entry, quotas, low, value, conditions);
    return decided;
  }

  /** `ask`: the leases do not suffice. Counts the use otherwise. */
  #decideLocally(entry: Entry, conditions: LocalConditions, now: number): Decision {
    const { quotas } = entry;
    const refusal = entry.refusal(conditions, now);
    if (refusal !== null) {
      this.#usage.refuse(entry, refusal, conditions);
      return refusal;
    }
    if (quotas === null) {
      this.#usage.count(entry, 'valid', conditions.cost);
      return entry;
    }
    const quotaResult = quotas.take(conditions.cost, now);
    if (quotaResult === null) return 'ask';
    const { outcome } = quotaResult;
    if (outcome === 'valid') this.#usage.count(entry, 'valid', conditions.cost);
    else this.#usage.refuse(entry, refusalOf(outcome, quotas, quotaResult), conditions);
    return { entry, quotas, quotaResult };
  }

  /**
   * Queries the server for a key that is not cached, or whose leases do not suffice. Concurrent validations
   * share one request.
   */
  async #fetch(
    value: string,
    conditions: LocalConditions,
    options: CallOptions,
    joins: number,
  ): Promise<Decision> {
    const { origin, cost } = conditions;
    // Nothing is leased for a request that consumes nothing.
    if (cost === 0 || this.#unleased.has(value, performance.now())) return 'ask';
    const requestKey = `${origin ?? ''} ${value}`;
    const quotas = this.#entries.get(value)?.quotas;
    const pending =
      this.#pending.get(requestKey) ?? quotas?.renewal(cost, performance.now()) ?? null;
    if (pending === null) {
      const request = this.#tracked(this.#requestLease(value, conditions, options));
      this.#pending.set(requestKey, request);
      return request.finally(() => this.#pending.delete(requestKey));
    }
    if (joins >= JOINS_MAX) return 'ask';
    await pending.catch(() => {});
    const now = performance.now();
    const entry = this.#freshness.isFresh(now) ? this.#entries.get(value) : undefined;
    return entry === undefined
      ? 'ask'
      : this.#decide(entry, value, conditions, options, now, joins + 1);
  }

  async #requestLease(
    value: string,
    conditions: LocalConditions,
    options: CallOptions,
  ): Promise<Decision> {
    const known = this.#entries.get(value);
    const { cost } = conditions;
    const leases = known?.quotas?.wanted(cost, performance.now());
    try {
      const request = { cost, leases, origin: conditions.origin };
      const leased = await this.#server.requestLease(value, request, options);
      if (leased === null) {
        if (known === undefined) this.#unleased.add(value, performance.now());
        return 'ask';
      }
      if ('refusal' in leased) return this.#applyRefusal(leased.refusal, known, leases, conditions);
      const now = performance.now();
      // The key was dropped during the request. The response lacks the leases that were not requested, so it
      // cannot become a new entry.
      if (leases !== undefined && this.#entries.get(value) === undefined) {
        this.#leases.grant(leased.body, leases, leased.requestedAt, now);
        return 'ask';
      }
      const entry = this.#cache(value, leased);
      this.#leases.grant(leased.body, leases ?? firstWanted(leased, cost), leased.requestedAt, now);
      const decided = this.#decideLocally(entry, conditions, now);
      if (entry.isDropped) this.#closeQuotas(entry);
      // `ask`: the leases may have ended, or other requests may have used them.
      return decided;
    } catch (error) {
      // An ordinary validation can succeed, since older servers reject lease requests. Otherwise it applies retries
      // and `onUnavailable`, or fails with the same error.
      if (error instanceof KeywardError) return 'ask';
      throw error;
    }
  }

  /**
   * A refusal by limits or credits is counted here if the key is cached. If it is not, an ordinary validation
   * lets the server count it. The server has already counted every other refusal.
   */
  #applyRefusal(
    refusal: Refused,
    known: Entry | undefined,
    leases: WantedLeases | undefined,
    conditions: LocalConditions,
  ): Decision {
    const { code } = refusal;
    if (code !== 'rate_limited' && code !== 'credits_exhausted') return refusal;
    if (known?.quotas == null || leases === undefined) return 'ask';
    const now = performance.now();
    this.#leases.refuse(known.quotas, refusal, leases, now);
    return this.#decideLocally(known, conditions, now);
  }

  /**
   * The entry for a response: the cached one, or a new one. A new one is cached if `mayCache` allows it;
   * otherwise it serves only this request.
   */
  #cache(value: string, { requestedAt, body }: LeaseResponse): Entry {
    const { record, behindMs } = body;
    const cached = this.#entries.get(value);
    if (cached !== undefined && cached.record.id === record.id) return cached;
    const entry = new Entry(body, requestedAt, this.#leases.open(body));
    const moment = requestedAt - behindMs;
    const mayCache = this.#freshness.mayCache(
      moment,
      performance.now(),
      record.id,
      ...entry.groups,
    );
    if (mayCache && !this.#isClosed) this.#entries.set(value, entry);
    else entry.isDropped = true;
    return entry;
  }

  /** Requests the next leases early, so that callers do not wait. */
  #renew(
    entry: Entry,
    quotas: Quotas,
    low: readonly LeasedAmount[],
    value: string,
    { origin }: LocalConditions,
  ): void {
    const leases = quotas.wanted(0, performance.now());
    const renewal = this.#server
      .requestLease(value, { cost: 0, leases, origin })
      .then((response) => {
        if (response === null) return;
        if (!('refusal' in response))
          this.#leases.grant(response.body, leases, response.requestedAt, performance.now());
        // The key is no longer valid. The stream will announce the change.
        else if (!entry.isDropped) this.#entries.dropKey(entry.record.id);
      })
      // If the request fails, the next validation that needs more sends another one.
      .catch(() => {})
      .finally(() => {
        for (const leased of low) leased.renewal = null;
      });
    for (const leased of low) leased.renewal = renewal;
    void this.#tracked(renewal);
  }

  #tracked<T>(request: Promise<T>): Promise<T> {
    this.#requests.add(request);
    const forget = () => this.#requests.delete(request);
    request.then(forget, forget);
    return request;
  }

  #closeQuotas({ quotas }: Entry): void {
    if (quotas !== null) this.#leases.close(quotas);
  }

  #returnIdle(idleMs: number): void {
    const now = performance.now();
    this.#leases.returnIdle(now - idleMs, now);
    void this.#returns.flush();
  }
}

const NOTHING_WANTED: WantedLeases = { limits: [] };

/** The refusal of a request by limits or credits, for the usage report. */
const refusalOf = (
  code: 'rate_limited' | 'credits_exhausted',
  { limits }: Quotas,
  { counts }: QuotaResult,
) => ({
  code,
  ...(code === 'rate_limited' && { limit: limits[counts!.refusedBy]!.name }),
});

/** What the first lease request for a key asked for, when its limits and credits were not known yet. */
const firstWanted = ({ body }: LeaseResponse, cost: number): WantedLeases => {
  const wanted = { amount: Math.max(1, cost), needed: cost };
  return { limits: (body.limits ?? []).map(({ name }) => ({ name, ...wanted })), credits: wanted };
};

/** Rejects with the reason of the signal. */
function abortable(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    void wait.then(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
