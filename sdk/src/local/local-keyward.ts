import type { RateLimitState } from '../generated/api-types.ts';
import { KeywardUnavailable } from '../http/errors.ts';
import { createProblemLog, type Log } from '../http/problem-log.ts';
import { Keyward, type KeywardOptions } from '../keyward.ts';
import { type Accepted, type Refused, refused, type Validation } from '../validation/outcome.ts';
import { requirementOf, type ValidateOptions } from '../validation/validator.ts';
import { Entries } from './entries.ts';
import { Entry } from './entry.ts';
import { Freshness } from './freshness.ts';
import type { GrantedLease, Lease } from './lease.ts';
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
   * hashed, which is half of the cost of a validation. 0: none. Default: 256.
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
  readonly #pending = new Map<string, Promise<unknown>>();
  readonly #leased = new Set<Entry>();
  readonly #ticking: ReturnType<typeof setInterval>;
  readonly #idleMs: number;
  #isClosed = false;

  constructor(options: LocalOptions) {
    this.client = new Keyward(options);
    this.#server = new Server(options);
    this.#entries = new Entries(
      options.maxKeys ?? MAX_KEYS,
      options.plainTextValues ?? PLAIN_TEXT_VALUES,
      (entry) => this.#release(entry),
    );
    this.#usage = new Usage((report) => this.#server.report(report));
    const logProblem = createProblemLog(options.log);
    this.#watch = new Watch({
      freshness: this.#freshness,
      request: (signal, cursor) => this.#server.changes(signal, cursor),
      onChange: (id) => {
        if (id.startsWith('prj_')) this.#entries.dropProject(id);
        else this.#entries.dropKey(id);
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
    // A lease has single requests, so any other cost is taken on the server.
    if (!this.#freshness.isFresh(now) || (options.cost ?? 1) !== 1)
      return this.client.validate(value, options);
    const entry = this.#entries.get(value);
    if (entry === undefined) return this.#fetch(value, options, 0);
    if (!entry.isPlain || options.permissions !== undefined)
      return this.#decide(entry, value, options, now, 0);
    this.#usage.count(entry, 'valid');
    return entry.accepted;
  }

  /** Returns leases and reports the remaining usage, within 5 s. Later validations use HTTP. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#ticking);
    this.#watch.close();
    this.#entries.clear();
    const deadline = clock.now() + CLOSE_MS;
    await this.#server.returnLeases();
    while (!this.#usage.isEmpty && clock.now() < deadline) {
      await this.#usage.flush();
      if (!this.#usage.isEmpty) await pause(CLOSE_RETRY_MS);
    }
  }

  #decide(
    entry: Entry,
    value: string,
    options: ValidateOptions,
    now: number,
    joins: number,
  ): Validation | Promise<Validation> {
    const refusal = this.#refusal(entry, options, now);
    if (refusal !== null) return refusal;
    if (entry.lease === null) return this.#accept(entry);
    return (
      this.#spend(entry, entry.lease, value, options, now) ?? this.#fetch(value, options, joins)
    );
  }

  /** Why the key is refused, the limit aside; counts it. Null if it is not refused. */
  #refusal(entry: Entry, options: ValidateOptions, now: number): Refused | null {
    const refusal = entry.refusal(options, now);
    if (refusal !== null) this.#usage.refuse(entry, refusal, options);
    return refusal;
  }

  /** Null: a new lease must be requested from the server. */
  #spend(
    entry: Entry,
    lease: Lease,
    value: string,
    options: ValidateOptions,
    now: number,
  ): Validation | null {
    const taken = lease.take(now);
    if (taken !== null) {
      if (!lease.isRequesting && lease.isLow(now)) void this.#refill(entry, lease, value, options);
      return this.#accept(entry, taken);
    }
    const state = lease.refusal(now);
    if (state === null) return null;
    const refusal = refused('rate_limited', state);
    this.#usage.refuse(entry, refusal, options);
    return refusal;
  }

  /**
   * Queries the server for a key that is not cached or whose lease is used up; one request for all
   * callers.
   */
  async #fetch(value: string, options: ValidateOptions, joins: number): Promise<Validation> {
    // A requirement that is not valid is rejected whatever the key, as by the server.
    requirementOf(options.permissions);
    const requestKey = `${options.originDomain ?? ''} ${value}`;
    const pending = this.#pending.get(requestKey);
    if (pending === undefined) {
      const request = this.#fetchFirst(value, options);
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
    try {
      const amount = known?.lease?.wanted() ?? 1;
      const leased = await this.#server.requestLease(value, amount, options);
      if (leased === null) return await this.client.validate(value, options);
      if ('refusal' in leased) return await this.#refusedBy(leased.refusal, known, value, options);
      return this.#decideFirst(this.#cache(value, leased), options, leased.lease);
    } catch (error) {
      // The ordinary validation applies retries and `onUnavailable`.
      if (error instanceof KeywardUnavailable) return this.client.validate(value, options);
      throw error;
    }
  }

  /**
   * A request over the limit is counted here if the key is cached. Otherwise an ordinary validation lets
   * the server count it.
   */
  async #refusedBy(
    refusal: Validation,
    known: Entry | undefined,
    value: string,
    options: ValidateOptions,
  ): Promise<Validation> {
    if (refusal.valid !== false || refusal.code !== 'rate_limited') return refusal;
    if (known?.lease == null) return this.client.validate(value, options);
    known.lease.refuse(refusal.rateLimit, clock.now());
    this.#usage.refuse(known, refusal, options);
    return refusal;
  }

  /**
   * Makes the entry for a response, and caches it if `mayCache` allows; otherwise it serves one
   * request.
   */
  #cache(value: string, { requestedAt, body }: LeaseResponse): Entry {
    const now = clock.now();
    const { record, behindMs } = body;
    const cached = this.#entries.get(value);
    if (cached !== undefined && cached.record.id === record.id) return cached;
    const entry = new Entry(body, requestedAt);
    const mayCache = this.#freshness.mayCache(
      requestedAt - behindMs,
      now,
      record.id,
      record.projectId,
    );
    if (mayCache && !this.#isClosed) this.#entries.set(value, entry);
    else entry.isDropped = true;
    return entry;
  }

  /** The validation that queried the server. If it is refused, others can use the lease. */
  #decideFirst(entry: Entry, options: ValidateOptions, granted: GrantedLease | null): Validation {
    const now = clock.now();
    const { lease } = entry;
    if (lease === null || granted === null)
      return this.#refusal(entry, options, now) ?? this.#accept(entry);
    lease.grant(granted, now);
    const decided =
      this.#refusal(entry, options, now) ?? this.#accept(entry, lease.take(now) ?? granted.state);
    this.#keepOrRelease(entry);
    return decided;
  }

  #accept(entry: Entry, rateLimit: RateLimitState | null = null): Accepted {
    this.#usage.count(entry, 'valid');
    if (rateLimit === null) return entry.accepted;
    return { valid: true, allowed: true, record: entry.record, rateLimit };
  }

  /** Requests the next lease early, so that callers do not wait. */
  async #refill(
    entry: Entry,
    lease: Lease,
    value: string,
    options: ValidateOptions,
  ): Promise<void> {
    lease.isRequesting = true;
    try {
      const { originDomain } = options;
      const leased = await this.#server.requestLease(value, lease.wanted(), { originDomain });
      if (leased === null) return;
      if ('refusal' in leased) lease.refuse(leased.refusal.rateLimit, clock.now());
      else if (leased.lease !== null) {
        lease.grant(leased.lease, clock.now());
        this.#keepOrRelease(entry);
      }
    } catch {
      // The next validation that needs the lease requests it again.
    } finally {
      lease.isRequesting = false;
    }
  }

  #keepOrRelease(entry: Entry): void {
    if (entry.isDropped || this.#isClosed) this.#release(entry);
    else this.#leased.add(entry);
  }

  #release(entry: Entry): void {
    this.#leased.delete(entry);
    const now = clock.now();
    if (entry.lease !== null) this.#server.queueReturn(entry.lease.release(entry.record.id, now));
  }

  #tick(): void {
    const idleSince = clock.now() - this.#idleMs;
    for (const entry of this.#leased) if (entry.lease!.usedAt < idleSince) this.#release(entry);
    void this.#server.returnLeases();
    void this.#usage.flush();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
