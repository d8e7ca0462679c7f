import { REQUESTS } from '@keyward/rules/cost.ts';
import { DEFAULT_LIMIT, hasNamedLimits } from '@keyward/rules/default-limit.ts';
import { type Grants, NO_GRANTS } from '@keyward/rules/permissions.ts';
import { matchesResource } from '@keyward/rules/request-resource.ts';
import type { Cacheable } from '../../cluster/cache/coherent-cache.ts';
import type { CounterSet } from '../../cluster/counters/counters.ts';
import { declaredBy, type UsedKey } from '../analytics/index.ts';
import { creditPoolOf, type KeyWithLevels, validatedKey } from '../api-keys/index.ts';
import type { CreditPool } from '../credits/index.ts';
import {
  type ChangeCounts,
  type CountedBy,
  counterSet,
  customerAnchor,
  customerGroup,
  type EffectivePolicies,
  limitsOfKey,
} from '../policies/index.ts';
import { type ProjectState, thresholdsOf } from '../projects/index.ts';
import { LimitWatch } from './limit-watch.ts';

/** Objects, map entries and strings besides the body: 370 bytes measured, and room for garbage. */
const OVERHEAD_BYTES = 540;
/** Two objects and the bytes of the address. */
const RANGE_BYTES = 160;
/** An object, and the name of the counter. */
const COUNTER_BYTES = 160;
const WATCH_BYTES = 80;
/** An array of up to 10 numbers. */
const THRESHOLDS_BYTES = 130;

/** Objects, and the names of the pool and its owner. */
const POOL_BYTES = 600;

const NO_NAMES: readonly string[] = [];
const ONLY_DEFAULT: readonly string[] = [DEFAULT_LIMIT];

/** What a key is prepared from besides its row. */
interface Surroundings {
  readonly project: ProjectState;
  readonly policies: EffectivePolicies;
  readonly changes: ChangeCounts;
}

/** A key with the limits that apply to a request. */
export interface LimitedKey {
  readonly seq: number;
  /** Null: none applies. */
  readonly limits: CounterSet | null;
  /** The names of `limits`, in the same order. */
  readonly limitNames: readonly string[];
  /** One for each of `limits`, in the same order. Null: nothing to announce. */
  readonly watches: readonly LimitWatch[] | null;
  /** The unit of each of `limits`, in the same order. Null: all count requests. */
  readonly limitUnits: readonly string[] | null;
  readonly body: string;
  readonly bodyBytes: number;
  readonly encoding: 'latin1' | 'utf8';
}

/** A key as a validation needs it: what the decision reads, and the response body already rendered. */
export class PreparedKey implements Cacheable, UsedKey, LimitedKey {
  readonly seq: number;
  readonly project: ProjectState;
  readonly resources: readonly string[] | null;
  /** The units that the project declares; null: none. */
  readonly units: readonly string[] | null;
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly startsAt: number | null;
  readonly allowedDomains: readonly string[] | null;
  readonly allowedIPs: EffectivePolicies['allowedIPs'];
  readonly grants: Grants;
  /** Of a key with only the limit `default`, else 0. Such keys need no objects for their limits in memory. */
  readonly rateLimit: number;
  readonly rateLimitTtlMs: number;
  readonly limitGroup: string;
  /** The plan of the key, or else of its customer, or else the default plan of its project. */
  readonly planId: string | null;
  readonly limitNames: readonly string[];
  readonly watches: readonly LimitWatch[] | null;
  readonly limitUnits: readonly string[] | null;
  /** Patterns of the requests that each of `limits` applies to, in the same order. Null: all apply to all. */
  readonly limitPatterns: readonly CountedBy['patterns'][] | null;
  /** The pool that pays for its requests; null: they need no credits. */
  readonly credits: CreditPool | null;
  readonly body: string;
  readonly bodyBytes: number;
  readonly encoding: 'latin1' | 'utf8';
  firstUsedAt: number | null;
  readonly id: string;
  readonly #namedLimits: CounterSet | null;
  readonly #policyBytes: number;
  readonly #changes: ChangeCounts;
  readonly #planSlot: number;
  readonly #customerSlot: number;
  readonly #changesWhenRead: number;

  constructor(row: KeyWithLevels, { project, policies, changes }: Surroundings) {
    this.seq = row.seq;
    this.project = project;
    this.resources = declaredBy(row.project_resources);
    this.units = declaredBy(row.project_units);
    this.isActive = row.is_active === 1;
    this.expiresAt = row.expires_at;
    this.startsAt = row.starts_at;
    this.allowedDomains = row.allowed_domains === null ? null : JSON.parse(row.allowed_domains);
    this.allowedIPs = policies.allowedIPs;
    this.grants = policies.grants;
    this.limitGroup = row.limit_group;
    const { project_id, custom_account_id } = row;
    const customer =
      custom_account_id === null ? null : customerGroup(project_id, custom_account_id);
    const limits = limitsOfKey(row, policies.limits);
    const anchor = customerAnchor(row);
    const { set, names, countedBy } = counterSet(row.limit_group, limits, customer, anchor);
    const isNamed = hasNamedLimits(names);
    const only = isNamed ? undefined : set.limits[0];
    this.#namedLimits = isNamed ? set : null;
    this.rateLimit = only?.limit ?? 0;
    this.rateLimitTtlMs = only?.ttlMs ?? 0;
    this.limitNames = isNamed ? names : only === undefined ? NO_NAMES : ONLY_DEFAULT;
    this.limitUnits = unitsIn(countedBy);
    this.limitPatterns = patternsIn(countedBy);
    this.planId = policies.planId;
    this.watches = watchesOf(set, row.project_notices);
    this.credits = creditPoolOf(row);
    this.#policyBytes =
      RANGE_BYTES * (row.allowed_ips === null ? 0 : this.allowedIPs!.length) +
      2 * (row.permissions?.length ?? 0) +
      COUNTER_BYTES * (this.#namedLimits?.limits.length ?? 0) +
      WATCH_BYTES * (this.watches?.length ?? 0) +
      (this.watches === null || row.project_notices === null ? 0 : THRESHOLDS_BYTES) +
      (this.credits === null ? 0 : POOL_BYTES);
    const {
      planSlot,
      customerSlot,
      sumWhenRead: sum,
    } = changes.slotsOfKey(policies.planId, customer);
    this.#changes = changes;
    this.#planSlot = planSlot;
    this.#customerSlot = customerSlot;
    this.#changesWhenRead = sum;
    const body = JSON.stringify(validatedKey({ ...row, permissions: policies.permissions }));
    this.bodyBytes = Buffer.byteLength(body);
    this.body = body;
    this.encoding = this.bodyBytes === body.length ? 'latin1' : 'utf8';
    this.firstUsedAt = row.first_used_at;
    // Both ids are usually equal. Then one string is kept instead of two.
    this.id = row.limit_group === row.id ? row.limit_group : row.id;
  }

  get bytes(): number {
    return this.body.length + this.#policyBytes + OVERHEAD_BYTES;
  }

  /** All limits, `default` first; null for a key without limits. */
  get limits(): CounterSet | null {
    if (this.rateLimit === 0) return this.#namedLimits;
    const { limitGroup: group, rateLimit: limit, rateLimitTtlMs: ttlMs } = this;
    const only = { counter: group, limit, ttlMs, isSliding: false, isEnforced: true };
    return { group, limits: [only] };
  }

  /** The key with those of its limits that apply to a request. */
  limitedFor(resource: string | null): LimitedKey {
    const patterns = this.limitPatterns;
    if (patterns === null) return this;
    const set = this.limits!;
    const applies = patterns.map((each) => each === null || matchesResource(each, resource));
    const only = <T>(items: readonly T[]) => items.filter((_, n) => applies[n]);
    const limits = only(set.limits);
    return {
      seq: this.seq,
      limits: limits.length === 0 ? null : { group: set.group, limits },
      limitNames: only(this.limitNames),
      watches: this.watches && only(this.watches),
      limitUnits: this.limitUnits && only(this.limitUnits),
      body: this.body,
      bodyBytes: this.bodyBytes,
      encoding: this.encoding,
    };
  }

  /** Whether clients that do not know units, resources and windows by the calendar must ask the server. */
  get needsAccounting(): boolean {
    return (
      this.limitUnits !== null ||
      this.limitPatterns !== null ||
      (this.#namedLimits?.limits.some(({ calendar }) => calendar !== undefined) ?? false)
    );
  }

  /** Whether clients that do not know policies must leave the decision to the server. */
  get hasPolicies(): boolean {
    return (
      this.grants !== NO_GRANTS ||
      this.allowedIPs !== null ||
      this.startsAt !== null ||
      this.#namedLimits !== null ||
      this.credits !== null
    );
  }

  /** The project, the plan or the customer of the key may have changed. */
  get stale(): boolean {
    return (
      this.project.stale ||
      this.#changes.sum(this.#planSlot, this.#customerSlot) !== this.#changesWhenRead
    );
  }
}

const unitsIn = (countedBy: readonly CountedBy[] | null): readonly string[] | null =>
  countedBy?.some(({ unit }) => unit !== REQUESTS) ? countedBy.map(({ unit }) => unit) : null;

const patternsIn = (countedBy: readonly CountedBy[] | null) =>
  countedBy?.some(({ patterns }) => patterns !== null)
    ? countedBy.map(({ patterns }) => patterns)
    : null;

function watchesOf({ limits }: CounterSet, notices: string | null): readonly LimitWatch[] | null {
  if (limits.length === 0) return null;
  const percents = thresholdsOf(notices);
  return percents.length === 0 ? null : limits.map(({ limit }) => new LimitWatch(percents, limit));
}
