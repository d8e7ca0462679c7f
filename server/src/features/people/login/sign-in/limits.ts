import { hash } from 'node:crypto';
import type { Counters } from '../../../../cluster/counters/counters.ts';
import { addressPrefix } from '../../../../kernel/address-prefix.ts';
import { KeywardError } from '../../../../kernel/errors.ts';
import { BASE32 } from '../../../../kernel/ids.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';

const MINUTE_MS = 60_000;

interface Window {
  readonly limit: number;
  readonly ttlMs: number;
}
const inMinutes = (limit: number, minutes: number): Window => ({
  limit,
  ttlMs: minutes * MINUTE_MS,
});

/** docs/decisions/0041-sign-in-limits.md explains each limit. */
const KNOWN_BROWSER = inMinutes(10, 5);
const PASSWORDS_FROM_ADDRESS = inMinutes(50, 5);
const PERSON_FROM_ADDRESS = inMinutes(10, 5);
const PERSON = inMinutes(100, 60);
const PERSON_FROM_NETWORK = inMinutes(3, 60);
const CODES_OF_PERSON = inMinutes(10, 60);
const RECOVERY_CODES_FROM_ADDRESS = inMinutes(10, 60);
const UNGUESSABLE_FROM_ADDRESS = inMinutes(300, 5);
const OWN_PASSWORD = inMinutes(20, 15);
const RESETS_FROM_ADDRESS = inMinutes(10, 5);
const RESET_MAILS = inMinutes(2, 30);
const ONCE = inMinutes(1, 2);

/** The origin of an attempt. */
export interface Caller {
  readonly address: string | null;
  /** A browser in which this person has signed in before; null if unknown. */
  readonly browser: string | null;
}

/**
 * Limits of sign-in attempts, counted like the rate limits of keys, so that they apply to a whole
 * cluster. An attacker's wrong attempts cannot lock a person out completely. For up to an hour, they can
 * block codes of the second step, and passwords in new browsers on the attacker's own network (an IPv4 /24
 * or IPv6 /48). They never block browsers in which the person has signed in before, and block passkeys and
 * recovery codes only at the attacker's own address. Methods that return no boolean throw beyond the limit.
 */
export class SignInLimits {
  readonly #counters: Counters;
  readonly #clock: Clock;

  constructor(counters: Counters, clock: Clock) {
    this.#counters = counters;
    this.#clock = clock;
  }

  /**
   * `email` is as entered, and may be unknown. When all callers together have used up the limit of a
   * person, each network still has a few attempts of its own.
   */
  async countPassword(caller: Caller, email: string): Promise<void> {
    if (await this.#countInKnownBrowser(caller)) return;
    const address = addressOf(caller);
    await this.#requireBelowLimit(['password from', address], PASSWORDS_FROM_ADDRESS);
    await this.#requireBelowLimit(['password', address, email], PERSON_FROM_ADDRESS);
    const shared = await this.#count(['password', email], PERSON);
    if (shared.allowed) return;
    const network = networkOf(caller);
    const own = await this.#count(['password of network', network, email], PERSON_FROM_NETWORK);
    if (!own.allowed) throw this.#throttled(Math.min(shared.resetAt, own.resetAt));
  }

  /** Six digits can be guessed, so the limit is shared by all unknown browsers. */
  async countCode(caller: Caller, userId: string): Promise<void> {
    if (await this.#countInKnownBrowser(caller)) return;
    await this.#requireBelowLimit(['password from', addressOf(caller)], PASSWORDS_FROM_ADDRESS);
    const { allowed, resetAt } = await this.#count(['code', userId], CODES_OF_PERSON);
    if (!allowed)
      throw this.#throttled(resetAt, 'Too many attempts with codes. Use a recovery code instead.');
  }

  /** Recovery codes are too long to be guessed, so attempts from other addresses do not count. */
  async countRecoveryCode(caller: Caller, userId: string): Promise<void> {
    if (await this.#countInKnownBrowser(caller)) return;
    const what = ['recovery code', addressOf(caller), userId];
    await this.#requireBelowLimit(what, RECOVERY_CODES_FROM_ADDRESS);
  }

  /** Passkeys, links and identity providers cannot be guessed; this only limits the work. */
  countUnguessable(kind: 'passkey' | 'link' | 'provider', address: string | null): Promise<void> {
    const what = [kind, addressOf({ address })];
    return this.#requireBelowLimit(what, UNGUESSABLE_FROM_ADDRESS);
  }

  /** Keeps a stolen session from being used to guess the password. */
  countOwnPassword(userId: string): Promise<void> {
    return this.#requireBelowLimit(['own password', userId], OWN_PASSWORD);
  }

  countResetRequest(address: string | null): Promise<void> {
    return this.#requireBelowLimit(['reset', addressOf({ address })], RESETS_FROM_ADDRESS);
  }

  /**
   * Returns whether a mail may be sent, so that nobody can flood a mailbox. If not, the link in the last mail
   * is valid for at least another half hour, unless the password has been set since.
   */
  async countResetMail(email: string): Promise<boolean> {
    return (await this.#count(['reset mail', email], RESET_MAILS)).allowed;
  }

  /** Marks a code as used for two minutes. Returns false if it was already marked. */
  async useCode(userId: string, code: string): Promise<boolean> {
    return (await this.#count(['code', userId, code], ONCE)).allowed;
  }

  /** Counts an attempt in a known browser. False if the browser is unknown or beyond its limit. */
  async #countInKnownBrowser({ browser }: Caller): Promise<boolean> {
    if (browser === null) return false;
    return (await this.#count(['browser', browser], KNOWN_BROWSER)).allowed;
  }

  async #requireBelowLimit(what: readonly string[], window: Window): Promise<void> {
    const { allowed, resetAt } = await this.#count(what, window);
    if (!allowed) throw this.#throttled(resetAt);
  }

  #throttled(resetAt: number, message?: string): KeywardError {
    const seconds = Math.max(1, Math.ceil((resetAt - this.#clock()) / 1000));
    const headers = ['Retry-After', String(seconds)];
    return new KeywardError('sign_in_throttled', message, { headers });
  }

  #count(what: readonly string[], { limit, ttlMs }: Window) {
    return this.#counters.take(counterOf(what), limit, ttlMs, this.#clock());
  }
}

/** The name of a counter must have the form of an id. This one is a hash of what is counted. */
function counterOf(what: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify(what), 'buffer');
  let text = 'lim_';
  for (let place = 0; place < 26; place++) text += BASE32[digest[place]! & 31];
  return text;
}

type Addressed = Pick<Caller, 'address'>;

/** One address; for IPv6 the /64, which usually belongs to one client. */
const addressOf = ({ address }: Addressed): string => addressPrefix(address, 4, 4);

/** The usual size of a customer's network: a /24, for IPv6 a /48. */
const networkOf = ({ address }: Addressed): string => addressPrefix(address, 3, 3);
