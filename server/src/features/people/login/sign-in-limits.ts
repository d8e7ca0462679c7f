import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Counters } from '../../../cluster/counters.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { BASE32 } from '../../../kernel/ids.ts';

const MINUTE_MS = 60_000;

/**
 * How often one may try to sign in, counted where the rate limits of keys are counted, so that it
 * holds for a whole cluster. Whoever guesses from one place is stopped soon, without shutting out
 * the person themself elsewhere; whoever guesses from everywhere is stopped too, only later.
 */
const ADDRESS = { limit: 50, ttlMs: 5 * MINUTE_MS };
const PERSON_FROM_ADDRESS = { limit: 10, ttlMs: 5 * MINUTE_MS };
const PERSON = { limit: 100, ttlMs: 60 * MINUTE_MS };
const ONCE = { limit: 1, ttlMs: 2 * MINUTE_MS };

export class SignInLimits {
  readonly #counters: Counters;
  readonly #clock: Clock;

  constructor(counters: Counters, clock: Clock) {
    this.#counters = counters;
    this.#clock = clock;
  }

  /** `person`: what the caller says of who they are; it need not be true. */
  async demand(address: string | null, person?: string): Promise<void> {
    const network = networkOf(address);
    await this.#take(['address', network], ADDRESS);
    if (person === undefined) return;
    await this.#take(['person from', network, person], PERSON_FROM_ADDRESS);
    await this.#take(['person', person], PERSON);
  }

  /** Whether this has not been seen for two minutes: a code of a second factor serves once. */
  async isFirst(userId: string, code: string): Promise<boolean> {
    return (await this.#count(['code', userId, code], ONCE)).allowed;
  }

  async #take(what: readonly string[], window: typeof ADDRESS): Promise<void> {
    const { allowed, resetAt } = await this.#count(what, window);
    if (allowed) return;
    const seconds = Math.max(1, Math.ceil((resetAt - this.#clock()) / 1000));
    throw new KeywardError('sign_in_throttled', undefined, {
      headers: ['Retry-After', String(seconds)],
    });
  }

  #count(what: readonly string[], { limit, ttlMs }: typeof ADDRESS) {
    return this.#counters.take(groupOf(what), limit, ttlMs, this.#clock());
  }
}

/** Windows are counted under ids: this is the hash of what is counted, in the form of one. */
function groupOf(what: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify(what), 'buffer');
  let text = 'lim_';
  for (let place = 0; place < 26; place++) text += BASE32[digest[place]! & 31];
  return text;
}

/** Whoever has one IPv6 address usually has the 2⁶⁴ beside it. */
function networkOf(address: string | null): string {
  if (address === null) return '';
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':');
}
