import type { OpenWindow, Taken } from '../../src/cluster/counters.ts';

/** The rule in its plainest form, to hold engines against. Its clock must never run backwards. */
export class NaiveCounters {
  readonly #windows = new Map<string, { resetAt: number; consumed: number }>();

  take(group: string, limit: number, ttlMs: number, now: number): Taken {
    let window = this.#windows.get(group);
    if (!window || now >= window.resetAt) {
      window = { resetAt: now + ttlMs, consumed: 0 };
      this.#windows.set(group, window);
    }
    const allowed = window.consumed < limit;
    if (allowed) window.consumed += 1;
    return { allowed, consumed: window.consumed, resetAt: window.resetAt };
  }

  *entries(now: number): Generator<OpenWindow> {
    for (const [group, window] of this.#windows) {
      if (now < window.resetAt) yield { group, ...window };
    }
  }
}
