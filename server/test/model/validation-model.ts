/** A minimal model of validation: no cache, no storage, no sharing. */
export interface Limit {
  readonly rateLimit: number;
  readonly rateLimitTtl: number;
}

export interface ModelKey {
  readonly id: string;
  value: string;
  name: string;
  isActive: boolean;
  expiresAt: number | null;
  limit: Limit | null;
  readonly domains: readonly string[] | null;
  readonly startsAt: number | null;
  addresses: readonly string[] | null;
  permissions: readonly string[];
  /** Keys linked by rotation share one rate-limit window. */
  readonly group: string;
  /** The key that last replaced this one. */
  rotatedTo?: string;
}

export interface Expected {
  readonly status: number;
  readonly code: string;
  /** Set if the key was found and its rate limit was checked. */
  readonly limit?: {
    readonly limit: number;
    readonly remaining: number;
    readonly consumed: number;
    readonly reset: number;
    readonly retryAfterSeconds: number;
  };
  /** The cost is larger than the limit, so there is nothing to wait for. */
  readonly neverFits?: boolean;
  readonly key?: ModelKey;
}

export interface ModelConditions {
  readonly origin: string | undefined;
  readonly clientIP: string | undefined;
  readonly required: readonly string[];
  readonly cost: number;
}

/** The addresses that the commands use and that are in the ranges of their keys. */
const IN_THE_RANGES = new Set<string | undefined>(['10.9.8.7', '::ffff:192.0.2.1']);

const isGranted = (permissions: readonly string[], name: string): boolean =>
  permissions.includes('*') ||
  permissions.includes(name) ||
  (permissions.includes('a.*') && name.startsWith('a.'));

const refused = (code: string): Expected => ({ status: 404, code });

export class ValidationModel {
  readonly keys = new Map<string, ModelKey>();
  readonly #windows = new Map<string, { resetAt: number; consumed: number }>();
  projectActive = true;

  byValue(value: string): ModelKey | undefined {
    return [...this.keys.values()].find((key) => key.value === value);
  }

  isDead(key: ModelKey, now: number): boolean {
    return !key.isActive || (key.expiresAt !== null && key.expiresAt <= now);
  }

  validate(value: string, conditions: ModelConditions, now: number): Expected {
    const key = this.byValue(value);
    if (key === undefined) return refused('key_not_found');
    if (!this.projectActive) return refused('key_project_inactive');
    if (!key.isActive) return refused('key_revoked');
    if (key.startsAt !== null && now < key.startsAt) return refused('key_not_started');
    if (key.expiresAt !== null && now >= key.expiresAt) return refused('key_expired');
    if (key.domains !== null && !key.domains.includes(conditions.origin ?? ''))
      return { status: 403, code: 'domain_denied' };
    if (key.addresses !== null && !IN_THE_RANGES.has(conditions.clientIP))
      return { status: 403, code: 'ip_denied' };
    if (!conditions.required.every((name) => isGranted(key.permissions, name)))
      return { status: 403, code: 'permission_denied' };
    if (key.limit === null) return { status: 200, code: 'valid', key };
    return this.#take(key, key.limit, conditions.cost, now);
  }

  #take(key: ModelKey, { rateLimit, rateLimitTtl }: Limit, cost: number, now: number): Expected {
    let window = this.#windows.get(key.group);
    if (window === undefined || window.resetAt <= now)
      window = { resetAt: now + rateLimitTtl * 1000, consumed: 0 };
    const isAllowed = cost <= Math.max(0, rateLimit - window.consumed);
    if (isAllowed && cost > 0) {
      window.consumed += cost;
      this.#windows.set(key.group, window);
    }
    const consumed = Math.min(window.consumed, rateLimit);
    const limit = {
      limit: rateLimit,
      remaining: rateLimit - consumed,
      consumed,
      reset: Math.ceil(window.resetAt / 1000),
      retryAfterSeconds: (window.resetAt - now) / 1000,
    };
    return isAllowed
      ? { status: 200, code: 'valid', limit, key }
      : { status: 429, code: 'rate_limited', limit, neverFits: cost > rateLimit };
  }

  /** The last key in the chain of rotations that begins with this one. */
  latest(key: ModelKey): ModelKey {
    const next = key.rotatedTo === undefined ? undefined : this.keys.get(key.rotatedTo);
    return next === undefined ? key : this.latest(next);
  }

  /** Revokes the old key immediately, or lets it expire after the grace period; adds the new one. */
  rotate(
    old: ModelKey,
    made: { id: string; value: string },
    graceSeconds: number,
    now: number,
  ): void {
    const { rotatedTo: _, ...copy } = old;
    this.keys.set(made.id, { ...copy, ...made, expiresAt: this.latest(old).expiresAt });
    old.rotatedTo = made.id;
    if (graceSeconds === 0) old.isActive = false;
    else
      old.expiresAt = Math.min(
        now + graceSeconds * 1000,
        old.expiresAt ?? Number.POSITIVE_INFINITY,
      );
  }
}
