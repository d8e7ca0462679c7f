import { KeywardUnavailable } from '../http/errors.ts';
import { createProblemLog, type Log } from '../http/problem-log.ts';
import { Keyward, type KeywardOptions } from '../keyward.ts';
import type { Refused, Validation } from '../validation/outcome.ts';
import { isCost, requirementOf, type ValidateOptions } from '../validation/validator.ts';
import { Entries } from './entries.ts';
import { Entry } from './entry.ts';
import { Freshness } from './freshness.ts';
import { LeaseReturns } from './lease-returns.ts';
import type { LeasedAmount } from './leased-amount.ts';
import { Leases } from './leases.ts';
import type { Quotas, WantedLeases } from './quotas.ts';
import { resultOf } from './results.ts';
import { type LeaseResponse, Server } from './server.ts';
import { Usage } from './usage.ts';
import { Watch } from './watch.ts';

export interface LocalOptions extends KeywardOptions {
  /**
   * Maximum number of cached keys, about 1 KB each. Set it to twice the number of keys in use, since half
   * of the cache is evicted together. Default: 200,000.
   */
  readonly maxKeys?: number;
  /**
   * How many key values are kept in plain text, for at most a second. A repeated value then need not be
   * hashed, which is about half of the cost of a validation. 0: none. Default: 256.
   */
  readonly plainTextValues?: number;
  /** How often usage is reported; a crash loses the usage since the last report. Default: 1,000. */
  readonly reportEveryMs?: number;
  /**
   * Called with the reason, at most once a minute, when the stream of changes cannot be opened and
   * every key is therefore validated over HTTP. Default: `console.error`.
   */
  readonly log?: Log | undefined;
}

/** Read once: the global is a getter, which costs as much as reading the clock. */
const clock = performance;
const MAX_KEYS = 200_000;
const PLAIN_TEXT_VALUES = 256;
const REPORT_EVERY_MS = 1_000;
const CLOSE_MS = 5_000;
const CLOSE_RETRY_MS = 100;
/** How often a validation waits for another request about its key before it sends its own. */
const JOINS_MAX = 3;

/**
 * Validates in this process. The first validation of a key queries the server; later ones use a cache
 * by the key's hash, which a stream of changes keeps up to date. A revoked key is refused at most 1 s
 * after the response to its revocation. While the stream is silent, every key is validated over HTTP.
 *
 * ```ts
 * const keyward = new LocalKeyward({ url, accessKey, onUnavailable: 'deny' });
 * const { allowed, record } = await keyward.validate(value);
 * await keyward.close();
 * ```
 */
export class LocalKeyward {
  /** The client for all other calls; it always queries the server. */
  readonly client: Keyward;
  readonly #server: Server;
  readonly #freshness = new Freshness();
  readonly #watch: Watch;
  readonly #entries: Entries;
  readonly #usage: Usage;
  readonly #returns: LeaseReturns;
  readonly #leases: Leases;
  readonly #pending = new Map<string, Promise<unknown>>();
  /** Requests for leases in progress. */
  readonly #requests = new Set<Promise<unknown>>();
  readonly #ticking: ReturnType<typeof setInterval>;
  readonly #idleMs: number;
  #isClosed = false;

  constructor(options: LocalOptions) {
    this.client = new Keyward(options);
    this.#server = new Server(options);
    this.#returns = new LeaseReturns((leases) => this.#server.returnLeases(leases));
    this.#leases = new Leases(this.#returns);
    this.#entries = new Entries(
      options.maxKeys ?? MAX_KEYS,
      options.plainTextValues ?? PLAIN_TEXT_VALUES,
      (entry) => this.#closeQuotas(entry),
    );
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
    this.#idleMs = options.reportEveryMs ?? REPORT_EVERY_MS;
    this.#ticking = setInterval(() => this.#tick(), this.#idleMs);
    this.#watch.start();
  }

  /**
   * Resolves when keys can be cached. While the server is unreachable or refuses the access key, it
   * stays pending and `log` receives the reason. Waiting for it is optional: until then keys are
   * validated over HTTP.
   */
  get ready(): Promise<void> {
    return this.#watch.started;
  }

  /** Number of cached keys. */
  get size(): number {
    return this.#entries.size;
  }

  /** Synchronous for a cached key; `await` works in both cases. */
  validate(value: string, options: ValidateOptions = {}): Validation | Promise<Validation> {
    const now = clock.now();
    const { cost = 1 } = options;
    if (!this.#freshness.isFresh(now) || !isCost(cost)) return this.client.validate(value, options);
    const entry = this.#entries.get(value);
    if (entry === undefined) return this.#fetch(value, options, 0);
    if (!entry.isPlain || options.permissions !== undefined)
      return this.#decide(entry, value, options, now, 0);
    this.#usage.count(entry, 'valid', cost);
    return entry.accepted;
  }

  /** Returns leases and reports the remaining usage, within 5 s. Later validations use HTTP. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#ticking);
    this.#watch.close();
    const deadline = clock.now() + CLOSE_MS;
    // What they are granted is returned, too.
    await Promise.race([Promise.allSettled(this.#requests), pause(CLOSE_MS)]);
    this.#entries.clear();
    await this.#returns.flush();
    while (!(this.#usage.isEmpty && this.#returns.isEmpty) && clock.now() < deadline) {
      await Promise.all([this.#usage.flush(), this.#returns.flush()]);
      if (!(this.#usage.isEmpty && this.#returns.isEmpty)) await pause(CLOSE_RETRY_MS);
    }
  }

  #decide(
    entry: Entry,
    value: string,
    options: ValidateOptions,
    now: number,
    joins: number,
  ): Validation | Promise<Validation> {
    const decided = this.#decideLocally(entry, options, now);
    if (decided === null) return this.#fetch(value, options, joins);
    const { quotas } = entry;
    if (quotas === null || !decided.valid) return decided;
    const low = quotas.low(now);
    if (low.length > 0) this.#renew(entry, quotas, low, value, options);
    return decided;
  }

  /** Null: the server must be asked, because the leases do not suffice. Counts the use otherwise. */
  #decideLocally(entry: Entry, options: ValidateOptions, now: number): Validation | null {
    const { quotas } = entry;
    const { cost = 1 } = options;
    const refusal = entry.refusal(options, now);
    if (refusal !== null) {
      this.#usage.refuse(entry, refusal, options);
      return refusal;
    }
    if (quotas === null) {
      this.#usage.count(entry, 'valid', cost);
      return entry.accepted;
    }
    const taken = quotas.take(cost, now);
    if (taken === null) return null;
    const result = resultOf(entry, quotas, taken);
    if (result.valid) this.#usage.count(entry, 'valid', cost);
    else this.#usage.refuse(entry, result, options);
    return result;
  }

  /** Queries the server for a key that is not cached, or whose leases do not suffice; one request for all callers. */
  async #fetch(value: string, options: ValidateOptions, joins: number): Promise<Validation> {
    // A requirement that is not valid is rejected whatever the key, as by the server.
    requirementOf(options.permissions);
    // Nothing is leased for a request that consumes nothing.
    if (options.cost === 0) return this.client.validate(value, options);
    const requestKey = `${options.originDomain ?? ''} ${value}`;
    const quotas = this.#entries.get(value)?.quotas;
    const pending =
      this.#pending.get(requestKey) ?? quotas?.renewal(options.cost ?? 1, clock.now()) ?? null;
    if (pending === null) {
      const request = this.#tracked(this.#fetchFirst(value, options));
      this.#pending.set(requestKey, request);
      return request.finally(() => this.#pending.delete(requestKey));
    }
    if (joins >= JOINS_MAX) return this.client.validate(value, options);
    await pending.catch(() => {});
    const now = clock.now();
    const entry = this.#freshness.isFresh(now) ? this.#entries.get(value) : undefined;
    if (entry === undefined) return this.client.validate(value, options);
    return this.#decide(entry, value, options, now, joins + 1);
  }

  async #fetchFirst(value: string, options: ValidateOptions): Promise<Validation> {
    const known = this.#entries.get(value);
    const { cost = 1 } = options;
    const leases = known?.quotas?.wanted(cost, clock.now());
    try {
      const leased = await this.#server.requestLease(value, { cost, leases }, options);
      if (leased === null) return await this.client.validate(value, options);
      if ('refusal' in leased)
        return await this.#refusedBy(leased.refusal, known, leases, value, options);
      const entry = this.#cache(value, leased);
      const now = clock.now();
      this.#leases.grant(leased.body, leases ?? firstWanted(leased, cost), leased.requestedAt, now);
      const decided = this.#decideLocally(entry, options, now);
      if (entry.isDropped) this.#closeQuotas(entry);
      // The leases may have ended, or other requests may have used them.
      return decided ?? (await this.client.validate(value, options));
    } catch (error) {
      // The ordinary validation applies retries and `onUnavailable`.
      if (error instanceof KeywardUnavailable) return this.client.validate(value, options);
      throw error;
    }
  }

  /**
   * A request that limits or credits refuse is counted here if the key is cached. Otherwise an ordinary
   * validation lets the server count it.
   */
  async #refusedBy(
    refusal: Refused,
    known: Entry | undefined,
    leases: WantedLeases | undefined,
    value: string,
    options: ValidateOptions,
  ): Promise<Validation> {
    const { code } = refusal;
    if (code !== 'rate_limited' && code !== 'credits_exhausted') return refusal;
    if (known?.quotas == null || leases === undefined) return this.client.validate(value, options);
    this.#leases.refuse(known.quotas, refusal, leases, clock.now());
    this.#usage.refuse(known, refusal, options);
    const { credits } = known.quotas;
    // The server does not know yet what was spent here.
    return code === 'credits_exhausted' && credits !== null
      ? { ...refusal, credits: credits.state }
      : refusal;
  }

  /**
   * The entry for a response: the cached one, or a new one, which is cached if `mayCache` allows and
   * otherwise serves one request.
   */
  #cache(value: string, { requestedAt, body }: LeaseResponse): Entry {
    const { record, behindMs } = body;
    const cached = this.#entries.get(value);
    if (cached !== undefined && cached.record.id === record.id) return cached;
    const entry = new Entry(body, requestedAt, this.#leases.open(body));
    const moment = requestedAt - behindMs;
    const mayCache = this.#freshness.mayCache(moment, clock.now(), record.id, ...entry.groups);
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
    { originDomain }: ValidateOptions,
  ): void {
    const leases = quotas.wanted(0, clock.now());
    const renewal = this.#server
      .requestLease(value, { cost: 0, leases }, { originDomain })
      .then((response) => {
        if (response === null) return;
        if (!('refusal' in response))
          this.#leases.grant(response.body, leases, response.requestedAt, clock.now());
        // The key is no longer valid; the change will arrive.
        else if (!entry.isDropped) this.#entries.dropKey(entry.record.id);
      })
      // The next validation that needs more requests it again.
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

  #tick(): void {
    const now = clock.now();
    this.#leases.returnIdle(now - this.#idleMs, now);
    void this.#returns.flush();
    void this.#usage.flush();
  }
}

/** What the first request for a key asks for: its limits and credits are not known yet. */
const firstWanted = ({ body }: LeaseResponse, cost: number): WantedLeases => {
  const wanted = { amount: Math.max(1, cost), needed: cost };
  return { limits: (body.limits ?? []).map(({ name }) => ({ name, ...wanted })), credits: wanted };
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
