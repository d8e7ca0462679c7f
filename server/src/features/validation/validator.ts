import type { ChangeNews } from '../../cluster/change-bus.ts';
import { CoherentCache } from '../../cluster/coherent-cache.ts';
import type { Counters, Leased, Taken } from '../../cluster/counters.ts';
import { AT_ONCE, countOf, PlaceHasher, type Values } from '../../cluster/places/place-hasher.ts';
import { byPlace, type Place } from '../../cluster/places/place-table.ts';
import type { Tenant } from '../../kernel/authority.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import { shapeOf } from '../../kernel/key-values.ts';
import type { KeyOutcome, UsageTally, UsedAccessKey } from '../analytics/index.ts';
import type { KeyRow } from '../api-keys/index.ts';
import type { ProjectStates } from '../projects/index.ts';
import { decide, type Refusal } from './decide.ts';
import { PreparedKey } from './prepared-key.ts';

export type Verdict =
  | { readonly kind: 'valid'; readonly key: PreparedKey; readonly taken: Taken | null }
  | { readonly kind: 'limited'; readonly key: PreparedKey; readonly taken: Taken }
  | { readonly kind: 'refused'; readonly code: Refusal };

/** What comes of asking for a key to be remembered, and for some of its requests beforehand. */
export type Lending =
  | {
      readonly kind: 'lent';
      readonly key: PreparedKey;
      /** Null for a key without a limit. */
      readonly leased: Leased | null;
      /** What was changed longer ago than this is reflected. */
      readonly behindMs: number;
    }
  | Exclude<Verdict, { kind: 'valid' }>;

/** Whoever asks: their account, their projects when narrowed, and what they asked so far. */
export type Asker = Tenant & UsedAccessKey;

const REFUSED: Record<Refusal, Verdict> = {
  key_not_found: { kind: 'refused', code: 'key_not_found' },
  key_malformed: { kind: 'refused', code: 'key_malformed' },
  key_project_inactive: { kind: 'refused', code: 'key_project_inactive' },
  key_revoked: { kind: 'refused', code: 'key_revoked' },
  key_expired: { kind: 'refused', code: 'key_expired' },
  domain_denied: { kind: 'refused', code: 'domain_denied' },
};

/** What a refusal of a known key is counted as. */
const OUTCOME_OF: Partial<Record<Refusal, KeyOutcome>> = {
  key_project_inactive: 'revoked',
  key_revoked: 'revoked',
  key_expired: 'expired',
  domain_denied: 'domain_denied',
};

/** What processors fetch at a time; a longer body they go on to fetch by themselves. */
const CACHE_LINE = 64;
const FETCHED_CHARS_MAX = 512;

/** `failed`: answered ahead of the router with an error, since storage could not be asked. */
export type ValidationOutcomes = Record<Refusal | 'valid' | 'limited' | 'failed', number>;

/** Reads one key of an account by its stored hash, at once where the database is at hand. */
export type ReadKey = (
  accountId: string,
  hash: string,
) => KeyRow | undefined | Promise<KeyRow | undefined>;

/**
 * The way of a validation. In the ordinary case everything is in memory and the answer is given
 * at once, without a promise; only a key not held, or counters kept elsewhere, make it wait.
 */
export class Validator {
  readonly #readKey: ReadKey;
  readonly #secrets: Secrets;
  readonly #counters: Counters;
  readonly #projects: ProjectStates;
  readonly #tally: UsageTally;
  readonly #clock: Clock;
  readonly #bus: ChangeNews;
  /** The account is part of a place: two accounts may hold the same value. */
  readonly #hasher = new PlaceHasher();
  readonly cache: CoherentCache<PreparedKey, Place>;
  /** Where what was only fetched goes, so that the compiler does not leave reading it out. */
  readonly #fetched = { sum: 0 };
  /** How many validations ended how, since the start. */
  readonly outcomes: ValidationOutcomes = {
    valid: 0,
    limited: 0,
    key_not_found: 0,
    key_malformed: 0,
    key_project_inactive: 0,
    key_revoked: 0,
    key_expired: 0,
    domain_denied: 0,
    failed: 0,
  };

  constructor(parts: {
    readKey: ReadKey;
    secrets: Secrets;
    counters: Counters;
    bus: ChangeNews;
    projects: ProjectStates;
    tally: UsageTally;
    clock: Clock;
    cacheBytes: number;
  }) {
    this.#readKey = parts.readKey;
    this.#secrets = parts.secrets;
    this.#counters = parts.counters;
    this.#projects = parts.projects;
    this.#tally = parts.tally;
    this.#clock = parts.clock;
    this.#bus = parts.bus;
    this.cache = new CoherentCache(parts.cacheBytes, byPlace<PreparedKey>());
    parts.bus.subscribe((changes) => {
      for (const change of changes) {
        if (change.kind === 'api-key') this.cache.drop(change.id, change.hash);
        else if (change.kind === 'project') this.cache.overtakeFills();
        else if (change.kind === 'everything') this.cache.clear();
      }
    });
  }

  validate(asker: Asker, value: string, origin: string | undefined): Verdict | Promise<Verdict> {
    return this.#notedWhenKnown(this.#verdict(asker, value, origin));
  }

  /**
   * The keys that memory holds of several values, for `validateHeld` in this same turn. Hashed side
   * by side and then looked up one behind the other, so that waiting for one does not wait for all.
   */
  held(asker: Asker, values: Values): (PreparedKey | undefined)[] {
    const held: (PreparedKey | undefined)[] = [];
    const count = countOf(values);
    for (let start = 0; start < count; start += AT_ONCE) {
      const some = Math.min(AT_ONCE, count - start);
      this.#hasher.hashSome(asker.accountId, values, start, some);
      for (let n = 0; n < some; n++) held.push(this.cache.get(this.#hasher.nth(n)));
      this.#fetch(held, start);
    }
    return held;
  }

  /**
   * Reads a little of all that will be asked of these keys. Nearly all of it lies in far memory, and
   * a loop that does nothing else has many of them under way at once: it takes a fifth off a batch.
   */
  #fetch(held: readonly (PreparedKey | undefined)[], start: number): void {
    let sum = 0;
    for (let n = start; n < held.length; n++) {
      const key = held[n];
      if (key === undefined) continue;
      if (key.rateLimit > 0) sum ^= this.#counters.fetch?.(key) ?? 0;
      const end = Math.min(key.body.length, FETCHED_CHARS_MAX);
      for (let at = 0; at < end; at += CACHE_LINE) sum ^= key.body.charCodeAt(at);
    }
    this.#fetched.sum = sum;
  }

  validateHeld(
    asker: Asker,
    key: PreparedKey,
    origin: string | undefined,
    now: number,
  ): Verdict | Promise<Verdict> {
    return this.#notedWhenKnown(this.#judge(key, asker, origin, now));
  }

  #notedWhenKnown(verdict: Verdict | Promise<Verdict>): Verdict | Promise<Verdict> {
    return verdict instanceof Promise
      ? verdict.then((late) => this.#noted(late))
      : this.#noted(verdict);
  }

  /**
   * For whoever answers for the key from now on, and reports its uses: neither an acceptance nor a
   * refusal for its limit is counted here. `lease` names what is taken, and how much at most.
   */
  async lend(
    asker: Asker,
    value: string,
    origin: string | undefined,
    lease: { readonly id: string; readonly amount: number },
  ): Promise<Lending> {
    const place = { ...this.#hasher.placeOf(asker.accountId, value) };
    const held = this.cache.get(place);
    if (held === undefined && shapeOf(value) === 'malformed')
      return this.#noted(this.#malformed(asker)) as Lending;
    const key = held ?? (await this.#read(place, asker, value));
    if (key === null) return this.#noted(this.#unknown(asker)) as Lending;
    const now = this.#clock();
    const { behindMs } = this.#bus;
    const refusal = decide(key, asker.projectIds, origin, now);
    if (refusal !== null) return this.#noted(this.#refused(refusal, key, asker, now)) as Lending;
    if (key.rateLimit === 0) return { kind: 'lent', key, leased: null, behindMs };
    const { limitGroup: group, rateLimit: limit, rateLimitTtlMs: ttlMs } = key;
    const leased = await this.#counters.lease({ ...lease, group, limit, ttlMs }, now);
    if (leased.granted > 0) return { kind: 'lent', key, leased, behindMs };
    const { consumed, resetAt } = leased;
    return { kind: 'limited', key, taken: { allowed: false, consumed, resetAt } };
  }

  #noted(verdict: Verdict): Verdict {
    // By name where it can be: a look-up costs more than all that is counted here.
    if (verdict.kind === 'valid') this.outcomes.valid++;
    else if (verdict.kind === 'limited') this.outcomes.limited++;
    else this.outcomes[verdict.code]++;
    return verdict;
  }

  #verdict(asker: Asker, value: string, origin: string | undefined): Verdict | Promise<Verdict> {
    const place = this.#hasher.placeOf(asker.accountId, value);
    const key = this.cache.get(place);
    if (key !== undefined) return this.#judge(key, asker, origin, this.#clock());
    // What is held was well-formed when it was stored; only the rest needs to be looked at.
    if (shapeOf(value) === 'malformed') return this.#malformed(asker);
    const read = this.#read({ ...place }, asker, value);
    return read instanceof Promise
      ? read.then((late) => this.#found(late, asker, origin))
      : this.#found(read, asker, origin);
  }

  #found(
    key: PreparedKey | null,
    asker: Asker,
    origin: string | undefined,
  ): Verdict | Promise<Verdict> {
    return key === null ? this.#unknown(asker) : this.#judge(key, asker, origin, this.#clock());
  }

  #read(
    place: Place,
    asker: Asker,
    value: string,
  ): PreparedKey | null | Promise<PreparedKey | null> {
    const stored = this.#secrets.hashValue(value);
    return this.cache.fill(place, stored, () => {
      const row = this.#readKey(asker.accountId, stored);
      return row instanceof Promise
        ? row.then((late) => this.#prepared(late))
        : this.#prepared(row);
    });
  }

  #prepared(row: KeyRow | undefined): PreparedKey | null {
    if (row === undefined) return null;
    return new PreparedKey(row, this.#projects.of(row.project_id, row.project_is_active === 1));
  }

  #judge(
    key: PreparedKey,
    asker: Asker,
    origin: string | undefined,
    now: number,
  ): Verdict | Promise<Verdict> {
    const refusal = decide(key, asker.projectIds, origin, now);
    if (refusal !== null) return this.#refused(refusal, key, asker, now);
    if (key.rateLimit === 0) {
      this.#tally.count('valid', key, asker, now);
      return { kind: 'valid', key, taken: null };
    }
    const { limitGroup, rateLimit, rateLimitTtlMs } = key;
    const taken = this.#counters.take(limitGroup, rateLimit, rateLimitTtlMs, now, key);
    return taken instanceof Promise
      ? taken.then((counted) => this.#counted(key, asker, counted, now))
      : this.#counted(key, asker, taken, now);
  }

  #counted(key: PreparedKey, asker: Asker, taken: Taken, now: number): Verdict {
    const { allowed } = taken;
    this.#tally.count(allowed ? 'valid' : 'rate_limited', key, asker, now);
    return allowed ? { kind: 'valid', key, taken } : { kind: 'limited', key, taken };
  }

  #refused(refusal: Refusal, key: PreparedKey, asker: Asker, now: number): Verdict {
    const outcome = OUTCOME_OF[refusal];
    // A key of another project is none that this access key may know of, nor leave a trace on.
    if (outcome === undefined) return this.#unknown(asker);
    this.#tally.count(outcome, key, asker, now);
    return REFUSED[refusal];
  }

  #malformed(asker: Asker): Verdict {
    this.#tally.countMiss('malformed', asker, this.#clock());
    return REFUSED.key_malformed;
  }

  #unknown(asker: Asker): Verdict {
    this.#tally.countMiss('unknown', asker, this.#clock());
    return REFUSED.key_not_found;
  }
}
