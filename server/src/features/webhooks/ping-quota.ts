import { KeywardError } from '../../kernel/errors.ts';

const WINDOW_MS = 60_000;
const PER_WINDOW = 60;
const UNDER_WAY_MAX = 4;
/** Accounts that are remembered before those without a ping in this minute are dropped. */
const ACCOUNTS_MAX = 1_000;

interface Use {
  windowEnd: number;
  count: number;
  underWay: number;
}

/** How many pings an account may send in a minute and wait for at a time, on this node. */
export class PingQuota {
  readonly #uses = new Map<string, Use>();

  /** Answers how to give the place back; throws when there is none. */
  take(accountId: string, now: number): () => void {
    const use = this.#useOf(accountId, now);
    if (use.underWay >= UNDER_WAY_MAX) throw tooMany(1);
    if (use.count >= PER_WINDOW) throw tooMany(Math.ceil((use.windowEnd - now) / 1000));
    use.count++;
    use.underWay++;
    return () => {
      use.underWay--;
    };
  }

  #useOf(accountId: string, now: number): Use {
    const use = this.#uses.get(accountId) ?? { windowEnd: 0, count: 0, underWay: 0 };
    if (now >= use.windowEnd) {
      use.windowEnd = now + WINDOW_MS;
      use.count = 0;
    }
    if (!this.#uses.has(accountId) && this.#uses.size >= ACCOUNTS_MAX) this.#dropIdle(now);
    this.#uses.set(accountId, use);
    return use;
  }

  #dropIdle(now: number): void {
    for (const [id, use] of this.#uses)
      if (use.underWay === 0 && now >= use.windowEnd) this.#uses.delete(id);
  }
}

const tooMany = (retryAfter: number): KeywardError =>
  new KeywardError('too_many_pings', undefined, { headers: ['Retry-After', String(retryAfter)] });
