import type { KeyRefusalCode } from '@keyward/rules/check-key.ts';
import { floorTo, MINUTE_MS } from '../usage-kinds.ts';

/** What a refusal says about the request and the key. Never the value of the key. */
export interface RefusalDetails {
  readonly code: KeyRefusalCode;
  readonly clientIP: string | null;
  readonly origin: string | null;
  /** The permissions that the key lacks. */
  readonly missing: readonly string[] | null;
  /** The name of the limit that refused; `default` for `rateLimitConfigs`. */
  readonly limit: string | null;
  readonly cost: number;
}

/** The key that was refused, and where it belongs. */
export interface RefusedKey {
  readonly accountId: string;
  readonly projectId: string;
  readonly keySeq: number;
}

export interface RefusalSample extends RefusedKey, RefusalDetails {
  readonly time: number;
  /** null: a person tried the key in the dashboard. */
  readonly accessKeySeq: number | null;
}

/** How many refusals of a minute were not recorded; `keySeq` 0: of keys that are not counted separately. */
export interface Omission extends RefusedKey {
  readonly minute: number;
  readonly count: number;
}

/** What is written with a batch of usage counts. */
export interface Refusals {
  readonly samples: readonly RefusalSample[];
  readonly omissions: readonly Omission[];
}

export const NO_REFUSALS: Refusals = { samples: [], omissions: [] };

export const ORIGIN_LENGTH_MAX = 255;

const PER_KEY_AND_MINUTE = 10;
const PER_SECOND = 200;
/** Samples kept while the database is unavailable. */
const WAITING_MAX = 10_000;
/** Keys per minute whose omissions are counted separately, which bounds the rows of a flood. */
const OMITTED_KEYS_MAX = 100;
const SECOND_MS = 1_000;

/**
 * Chooses which refused validations a node records: at most 10 a minute of a key, and 200 a second in
 * all. The others are only counted. A successful validation never comes here.
 */
export class RefusalSampler {
  #minute = 0;
  /** Samples of each key in this minute, by `seq`. Only of keys with a sample, so at most 12,000. */
  #perKey = new Map<number, number>();
  #omittedKeys = new Set<number>();
  #second = 0;
  #inSecond = 0;
  #samples: RefusalSample[] = [];
  #omissions = new Map<string, Omission>();

  /** Whether this refusal is recorded. If so, it counts against the limits. */
  allows({ keySeq }: RefusedKey, now: number): boolean {
    this.#moveTo(now);
    const ofKey = this.#perKey.get(keySeq) ?? 0;
    const isFull = this.#inSecond >= PER_SECOND || this.#samples.length >= WAITING_MAX;
    if (isFull || ofKey >= PER_KEY_AND_MINUTE) return false;
    this.#perKey.set(keySeq, ofKey + 1);
    this.#inSecond++;
    return true;
  }

  /** Adds a refusal to the next batch. */
  add(sample: RefusalSample): void {
    this.#samples.push(sample);
  }

  /** Counts a refusal that is not recorded, in the next batch. */
  omit(key: RefusedKey, now: number): void {
    const omission = this.omission(key, 1, now, now);
    const { minute, projectId, keySeq } = omission;
    const id = `${minute} ${projectId} ${keySeq}`;
    const before = this.#omissions.get(id)?.count ?? 0;
    this.#omissions.set(id, { ...omission, count: before + 1 });
  }

  /**
   * `time`: when the key was refused, which may be before `now`. The first 100 keys of a minute get a count
   * each, all others share one of their project.
   */
  omission(key: RefusedKey, count: number, time: number, now: number): Omission {
    this.#moveTo(now);
    const { accountId, projectId } = key;
    const isCounted =
      this.#omittedKeys.has(key.keySeq) || this.#omittedKeys.size < OMITTED_KEYS_MAX;
    if (isCounted) this.#omittedKeys.add(key.keySeq);
    const keySeq = isCounted ? key.keySeq : 0;
    return { accountId, projectId, keySeq, minute: floorTo(time, MINUTE_MS), count };
  }

  /** Takes out everything since the last call. */
  take(): Refusals {
    if (this.#samples.length === 0 && this.#omissions.size === 0) return NO_REFUSALS;
    const taken = { samples: this.#samples, omissions: [...this.#omissions.values()] };
    this.#samples = [];
    this.#omissions = new Map();
    return taken;
  }

  #moveTo(now: number): void {
    const second = floorTo(now, SECOND_MS);
    if (second === this.#second) return;
    this.#second = second;
    this.#inSecond = 0;
    const minute = floorTo(now, MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#perKey = new Map();
    this.#omittedKeys = new Set();
  }
}
