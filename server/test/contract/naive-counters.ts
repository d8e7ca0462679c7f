import type {
  LeaseRequest,
  LeaseResult,
  OpenWindow,
  TakeResult,
} from '../../src/cluster/counters/counters.ts';

/** A minimal reference implementation to compare engines with. Its clock must never run backwards. */
export class NaiveCounters {
  readonly #windows = new Map<string, { resetAt: number; consumed: number }>();
  readonly #leases = new Map<string, { counter: string; window: object; granted: number }>();

  take(group: string, limit: number, ttlMs: number, now: number): TakeResult {
    const window = this.#open(group, ttlMs, now);
    const allowed = window.consumed < limit;
    if (allowed) window.consumed += 1;
    return { allowed, consumed: window.consumed, resetAt: window.resetAt };
  }

  lease({ id, counter, limit, ttlMs, amount }: LeaseRequest, now: number): LeaseResult {
    const window = this.#open(counter, ttlMs, now);
    const granted = Math.min(amount, Math.max(0, limit - window.consumed));
    window.consumed += granted;
    this.#leases.set(id, { counter, window, granted });
    return { granted, consumed: window.consumed, resetAt: window.resetAt };
  }

  giveBack(id: string, group: string, unused: number, now: number): number {
    const lease = this.#leases.get(id);
    const window = this.#windows.get(group);
    if (!lease || lease.counter !== group) return 0;
    this.#leases.delete(id);
    if (!window || lease.window !== window || now >= window.resetAt) return 0;
    const returned = Math.min(unused, lease.granted);
    window.consumed -= returned;
    return returned;
  }

  #open(group: string, ttlMs: number, now: number): { resetAt: number; consumed: number } {
    const current = this.#windows.get(group);
    if (current && now < current.resetAt) return current;
    const window = { resetAt: now + ttlMs, consumed: 0 };
    this.#windows.set(group, window);
    return window;
  }

  *entries(now: number): Generator<OpenWindow> {
    for (const [counter, window] of this.#windows) {
      if (now < window.resetAt) yield { counter, ...window, sliding: null };
    }
  }
}
