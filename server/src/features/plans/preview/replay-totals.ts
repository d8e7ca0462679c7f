import { isoTime } from '../../../kernel/time/clock.ts';
import type { MinuteRow } from '../../analytics/index.ts';
import type { Level, Limit } from '../../policies/index.ts';
import {
  type ReplayedKey,
  type ReplayedLimit,
  replay,
  requestsOf,
  type Windows,
} from './replay.ts';
import type { RefusedCustomer } from './schema.ts';
import type { PreviewedKey } from './store.ts';

/** At most this many customers are named for a limit. */
const NAMED_MAX = 100;

/** Bounds the memory and the time of a preview. */
interface Bounds {
  readonly keys: number;
  /** Rows, each for one key and one minute. */
  readonly minutes: number;
}

/** About 1 KB for each key. */
const BOUNDS: Bounds = { keys: 50_000, minutes: 1_000_000 };

/** Reads keys by their `seq`. */
type ReadKeys = (seqs: readonly number[]) => Promise<readonly PreviewedKey[]>;

/** A customer, or a key without one. */
interface Owner {
  readonly customAccountId: string | null;
  readonly keyId: string | null;
  readonly windows: Windows;
  /** Requests that did not fit, by the position of the limit. */
  readonly refused: number[];
  /** The minute of the first such request, by the position of the limit. */
  readonly firstAt: number[];
}

interface KnownKey extends ReplayedKey {
  readonly owner: Owner;
}

/** Replays minutes through limits, and adds up what each would have refused, by customer. */
export class ReplayTotals {
  readonly #limits: readonly ReplayedLimit[];
  /** The position of the credits among the limits; -1: none. */
  readonly #credits: number;
  readonly #keys = new Map<number, KnownKey>();
  readonly #owners = new Map<string, Owner>();
  /** By `limit_group`: rotated keys share their windows. */
  readonly #windows = new Map<string, Windows>();
  readonly #level: Level;
  readonly #bounds: Bounds;
  #minutes = 0;
  #requests = 0;
  #cost = 0;
  /** Requests of keys beyond the bound. */
  omittedRequests = 0;
  refused = 0;

  constructor(
    limits: readonly ReplayedLimit[],
    credits: ReplayedLimit | null,
    level: Level = 'plan',
    bounds: Bounds = BOUNDS,
  ) {
    this.#level = level;
    this.#bounds = bounds;
    this.#limits = credits === null ? limits : [...limits, credits];
    this.#credits = credits === null ? -1 : limits.length;
  }

  get evaluated() {
    return { keys: this.#keys.size, requests: this.#requests, cost: this.#cost };
  }

  /** Pages must come in the order of time. Returns false if no more can be replayed. */
  async addPage(page: readonly MinuteRow[], readKeys: ReadKeys): Promise<boolean> {
    const unknown = new Set(page.map(({ seq }) => seq).filter((seq) => !this.#keys.has(seq)));
    const room = this.#bounds.keys - this.#keys.size;
    for (const key of await readKeys([...unknown].slice(0, room))) this.#addKey(key);
    for (const row of page) {
      const key = this.#keys.get(row.seq);
      if (key !== undefined) this.#addMinute(key, row);
      else this.omittedRequests += row.valid + row.refused;
    }
    this.#minutes += page.length;
    return this.#minutes < this.#bounds.minutes;
  }

  #addKey(key: PreviewedKey): void {
    const own = getOrAdd(this.#windows, key.limit_group, (): Windows => []);
    const { custom_account_id: customAccountId } = key;
    const isCustomer = customAccountId !== null;
    const name = isCustomer ? `customer ${customAccountId}` : `key ${key.limit_group}`;
    const owner = getOrAdd(this.#owners, name, () => ({
      customAccountId,
      keyId: isCustomer ? null : key.id,
      windows: isCustomer ? [] : own,
      refused: [],
      firstAt: [],
    }));
    const shared = owner.windows;
    this.#keys.set(key.seq, { own, shared, exempt: this.#exemptions(key), owner });
  }

  #addMinute(key: KnownKey, { start, ...minute }: MinuteRow): void {
    this.#requests += minute.valid + minute.refused;
    this.#cost += minute.cost + minute.refused;
    for (const requests of requestsOf(minute)) {
      const { refused, exceeded } = replay(this.#limits, key, requests, start);
      this.refused += refused;
      for (const [n, count] of exceeded.entries()) {
        if (count === 0) continue;
        const { owner } = key;
        owner.refused[n] = (owner.refused[n] ?? 0) + count;
        owner.firstAt[n] ??= start;
      }
    }
  }

  limitResults() {
    const limits = this.#limits.filter((_, n) => n !== this.#credits);
    return limits.map(({ name }, n) => ({ name, ...this.#resultOf(n) }));
  }

  creditsResult() {
    return this.#credits < 0 ? null : this.#resultOf(this.#credits);
  }

  #resultOf(n: number): { refused: number; customers: RefusedCustomer[] } {
    const customers: RefusedCustomer[] = [];
    let refused = 0;
    for (const owner of this.#owners.values()) {
      const count = owner.refused[n] ?? 0;
      if (count === 0) continue;
      refused += count;
      const { customAccountId, keyId } = owner;
      const firstAt = isoTime(owner.firstAt[n]!);
      customers.push({ customAccountId, keyId, refused: count, firstAt });
    }
    customers.sort((a, b) => b.refused - a.refused || a.firstAt.localeCompare(b.firstAt));
    return { refused, customers: customers.slice(0, NAMED_MAX) };
  }

  /**
   * Positions of the limits that do not apply to the key. A more specific limit replaces a limit of the
   * same name, and own credits of the key or its customer replace those of a plan.
   */
  #exemptions(key: PreviewedKey): ReadonlySet<number> {
    const nearer = limitsNearerThan(this.#level, key);
    if (nearer.length === 0 && key.has_own_credits === 0) return NONE;
    const names = new Set(nearer.map(({ name }) => name));
    const exempt = new Set<number>();
    for (const [n, { name }] of this.#limits.entries())
      if (n === this.#credits ? key.has_own_credits === 1 : names.has(name)) exempt.add(n);
    return exempt;
  }
}

function limitsNearerThan(level: Level, { limits, customer_limits }: PreviewedKey): Limit[] {
  if (level === 'key') return [];
  const nearer = level === 'customer' ? [limits] : [limits, customer_limits];
  return nearer.flatMap((text): Limit[] => (text === null ? [] : JSON.parse(text)));
}

const NONE: ReadonlySet<number> = new Set();

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
