import { KeywardUnavailable } from '../http/errors.ts';
import { createProblemLog, type Log } from '../http/problem-log.ts';
import { Keyward, type KeywardOptions } from '../keyward.ts';
import { originAllowed } from '../rules/origin.ts';
import { refused, type Validation } from '../validation/outcome.ts';
import type { ValidateOptions } from '../validation/validator.ts';
import { Entries } from './entries.ts';
import { Entry } from './entry.ts';
import { Knowledge } from './knowledge.ts';
import { type GrantedLease, Lease } from './lease.ts';
import { type Lent, Server } from './server.ts';
import { Usage } from './usage.ts';
import { Watch } from './watch.ts';

export interface LocalOptions extends KeywardOptions {
  /**
   * How many keys are remembered at most; some 1 KB each. Give room for twice as many as are in use:
   * forgetting goes by halves. Default: 200,000.
   */
  readonly maxKeys?: number;
  /**
   * How many values are kept in clear, for at most a second, so that a value that comes again need
   * not be hashed: half of what a validation costs. 0: none. Default: 256.
   */
  readonly valuesInClear?: number;
  /** How often uses are reported, in milliseconds; what a crash may lose. Default: 1,000. */
  readonly reportEveryMs?: number;
  /**
   * Called with the reason, at most once a minute, when the stream of changes cannot be opened and
   * every key is therefore validated over HTTP. Default: `console.error`.
   */
  readonly log?: Log | undefined;
}

/** Taken once: the global is a getter, which costs as much as the clock itself. */
const clock = performance;
const MAX_KEYS = 200_000;
const VALUES_IN_CLEAR = 256;
const REPORT_EVERY_MS = 1_000;
const CLOSE_MS = 5_000;
const CLOSE_RETRY_MS = 100;
/** How often a request joins a question about its key before it asks for itself. */
const JOINS_MAX = 3;

/**
 * Validates in this process. A key is asked about once; from then on it is answered for from memory,
 * by its hash, while a stream tells of changes. A revoked key is refused at most 1 s after the
 * answer to its revocation; when the stream falls silent, every key is asked about as ever.
 *
 * ```ts
 * const keyward = new LocalKeyward({ url, accessKey, onUnavailable: 'deny' });
 * const { allowed, record } = await keyward.validate(value);
 * await keyward.close();
 * ```
 */
export class LocalKeyward {
  /** For everything else; it asks the server each time. */
  readonly client: Keyward;
  readonly #server: Server;
  readonly #knowledge = new Knowledge();
  readonly #watch: Watch;
  readonly #entries: Entries;
  readonly #usage: Usage;
  readonly #asking = new Map<string, Promise<unknown>>();
  readonly #lending = new Set<Entry>();
  readonly #ticking: ReturnType<typeof setInterval>;
  readonly #idleMs: number;
  #isClosed = false;

  constructor(options: LocalOptions) {
    this.client = new Keyward(options);
    this.#server = new Server(options);
    this.#entries = new Entries(
      options.maxKeys ?? MAX_KEYS,
      options.valuesInClear ?? VALUES_IN_CLEAR,
      (entry) => this.#giveUp(entry),
    );
    this.#usage = new Usage((report) => this.#server.report(report));
    const logProblem = createProblemLog(options.log);
    this.#watch = new Watch({
      knowledge: this.#knowledge,
      request: (signal, cursor) => this.#server.changes(signal, cursor),
      onChange: (id) => {
        if (id.startsWith('prj_')) this.#entries.dropProject(id);
        else this.#entries.dropKey(id);
      },
      onReset: () => this.#entries.clear(),
      onProblem: (problem) =>
        logProblem('Keyward: no stream of changes, every key is validated over HTTP', problem),
    });
    this.#idleMs = options.reportEveryMs ?? REPORT_EVERY_MS;
    this.#ticking = setInterval(() => this.#tick(), this.#idleMs);
    this.#watch.start();
  }

  /**
   * Resolves when keys can be remembered; while the server cannot be reached or refuses the access
   * key it stays pending and `log` has the reason. Not needed: until then keys are validated over HTTP.
   */
  get ready(): Promise<void> {
    return this.#watch.begun;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /** At once for a key that is remembered; `await` does for both. */
  validate(value: string, options: ValidateOptions = {}): Validation | Promise<Validation> {
    const now = clock.now();
    if (!this.#knowledge.isFresh(now)) return this.client.validate(value, options);
    const entry = this.#entries.get(value);
    if (entry === undefined) return this.#ask(value, options, 0);
    if (!entry.isPlain) return this.#decide(entry, value, options, now, 0);
    this.#usage.count(entry, 'valid');
    return entry.accepted;
  }

  /** Gives leases back and reports what is left. Ends within 5 s; validations ask from then on. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#ticking);
    this.#watch.close();
    this.#entries.clear();
    const deadline = clock.now() + CLOSE_MS;
    await this.#server.giveBack();
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
    if (now >= entry.expiresAt) {
      this.#usage.count(entry, 'expired');
      return refused('key_expired', null);
    }
    const { allowedDomains } = entry.record;
    if (allowedDomains !== null && !originAllowed(allowedDomains, options.originDomain)) {
      this.#usage.count(entry, 'domain_denied');
      return refused('domain_denied', null);
    }
    if (entry.lease === null) {
      this.#usage.count(entry, 'valid');
      return entry.accepted;
    }
    return this.#spend(entry, entry.lease, value, options, now) ?? this.#ask(value, options, joins);
  }

  /** Null: the server must be asked for more. */
  #spend(
    entry: Entry,
    lease: Lease,
    value: string,
    options: ValidateOptions,
    now: number,
  ): Validation | null {
    const state = lease.take(now);
    if (state !== null) {
      this.#usage.count(entry, 'valid');
      if (!lease.isAsking && lease.isLow(now)) void this.#refill(entry, lease, value, options);
      return { valid: true, allowed: true, record: entry.record, rateLimit: state };
    }
    const refusal = lease.refusal(now);
    if (refusal === null) return null;
    this.#usage.count(entry, 'rate_limited');
    return refused('rate_limited', refusal);
  }

  /** Asks about a key that is not remembered, or whose lease is used up; once for all who wait. */
  async #ask(value: string, options: ValidateOptions, joins: number): Promise<Validation> {
    const place = `${options.originDomain ?? ''} ${value}`;
    const running = this.#asking.get(place);
    if (running === undefined) {
      const asked = this.#askFirst(value, options);
      this.#asking.set(place, asked);
      return asked.finally(() => this.#asking.delete(place));
    }
    if (joins >= JOINS_MAX) return this.client.validate(value, options);
    await running.catch(() => {});
    const now = clock.now();
    const entry = this.#knowledge.isFresh(now) ? this.#entries.get(value) : undefined;
    if (entry === undefined) return this.client.validate(value, options);
    return this.#decide(entry, value, options, now, joins + 1);
  }

  async #askFirst(value: string, options: ValidateOptions): Promise<Validation> {
    const known = this.#entries.get(value);
    try {
      const amount = known?.lease?.wanted() ?? 1;
      const lent = await this.#server.lend(value, amount, options);
      if (lent === null) return await this.client.validate(value, options);
      if ('refusal' in lent) return await this.#refusedBy(lent.refusal, known, value, options);
      return this.#spendOne(this.#learn(value, lent), lent.lease);
    } catch (error) {
      // Asked again in the ordinary way, which knows what to do when nobody answers.
      if (error instanceof KeywardUnavailable) return this.client.validate(value, options);
      throw error;
    }
  }

  /**
   * A limit that was met is counted by whoever knows the key: here when it is remembered, else by
   * the server, which is asked in the ordinary way.
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
    this.#usage.count(known, 'rate_limited');
    return refusal;
  }

  /** The entry of an answer: remembered when it may be, good for this one request in any case. */
  #learn(value: string, { asked, body }: Lent): Entry {
    const now = clock.now();
    const { record, behindMs, expiresInMs } = body;
    const held = this.#entries.get(value);
    if (held !== undefined && held.record.id === record.id) return held;
    const { rateLimitConfigs } = record;
    const entry = new Entry(
      record,
      expiresInMs === null ? Number.POSITIVE_INFINITY : asked + expiresInMs,
      rateLimitConfigs === null ? null : new Lease(rateLimitConfigs.rateLimit),
    );
    const mayLearn = this.#knowledge.mayLearn(asked - behindMs, now, record.id, record.projectId);
    if (mayLearn && !this.#isClosed) this.#entries.set(value, entry);
    else entry.isDropped = true;
    return entry;
  }

  #spendOne(entry: Entry, granted: GrantedLease | null): Validation {
    const now = clock.now();
    this.#usage.count(entry, 'valid');
    if (entry.lease === null || granted === null) return entry.accepted;
    entry.lease.grant(granted, now);
    const state = entry.lease.take(now) ?? granted.state;
    this.#keepOrGiveUp(entry);
    return { ...entry.accepted, rateLimit: state };
  }

  /** Ahead of need, so that nobody waits. */
  async #refill(
    entry: Entry,
    lease: Lease,
    value: string,
    options: ValidateOptions,
  ): Promise<void> {
    lease.isAsking = true;
    try {
      const { originDomain } = options;
      const lent = await this.#server.lend(value, lease.wanted(), { originDomain });
      if (lent === null) return;
      if ('refusal' in lent) lease.refuse(lent.refusal.rateLimit, clock.now());
      else if (lent.lease !== null) {
        lease.grant(lent.lease, clock.now());
        this.#keepOrGiveUp(entry);
      }
    } catch {
      // Asked for again by whoever needs it.
    } finally {
      lease.isAsking = false;
    }
  }

  #keepOrGiveUp(entry: Entry): void {
    if (entry.isDropped || this.#isClosed) this.#giveUp(entry);
    else this.#lending.add(entry);
  }

  #giveUp(entry: Entry): void {
    this.#lending.delete(entry);
    const now = clock.now();
    if (entry.lease !== null) this.#server.toGiveBack(entry.lease.giveUp(entry.record.id, now));
  }

  #tick(): void {
    const idleSince = clock.now() - this.#idleMs;
    for (const entry of this.#lending) if (entry.lease!.usedAt < idleSince) this.#giveUp(entry);
    void this.#server.giveBack();
    void this.#usage.flush();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
