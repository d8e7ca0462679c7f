import { randomToken, sha256 } from '../../../../kernel/secrets/crypto.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import type { Storage, Tx } from '../../../../storage/index.ts';
import { COOKIE_PREFIX, type CookieHeaders, cookieIn } from '../cookies.ts';

const BROWSER_COOKIE = `${COOKIE_PREFIX}.browser`;
const LIFE_SECONDS = 180 * 86_400;
const KEPT_MAX = 20;

/**
 * Browsers in which a person has signed in before, recognized by a cookie (OWASP's “device cookie”). The
 * cookie grants nothing. Sign-in attempts with it have a limit of their own, which other callers cannot
 * use up. People who share a browser share its cookie.
 */
export class KnownBrowsers {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(parts: { storage: Storage; clock: Clock }) {
    this.#storage = parts.storage;
    this.#clock = parts.clock;
  }

  /** Identifies this browser and person, to count attempts; null if the person has not signed in here. */
  async find(
    headers: CookieHeaders,
    person: { readonly email: string } | { readonly userId: string },
  ): Promise<string | null> {
    const token = tokenIn(headers);
    if (token === null) return null;
    const known = this.#storage.point
      .selectFrom('known_browsers')
      .innerJoin('users', 'users.id', 'known_browsers.user_id')
      .select('known_browsers.user_id')
      .where('known_browsers.token_hash', '=', sha256(token))
      .where('known_browsers.expires_at', '>', this.#clock());
    const row = await ('email' in person
      ? known.where('users.email', '=', person.email)
      : known.where('users.id', '=', person.userId)
    ).executeTakeFirst();
    return row === undefined ? null : `${sha256(token)} ${row.user_id}`;
  }

  /**
   * Called after a sign-in or a password reset. The browser gets a new token each time, so that a stolen
   * or planted token stops working. Other people who use this browser get the new token too.
   */
  async remember(headers: CookieHeaders, userId: string): Promise<string[]> {
    const before = tokenIn(headers);
    const token = randomToken();
    const token_hash = sha256(token);
    const now = this.#clock();
    await this.#storage.transaction(async (tx) => {
      if (before !== null) {
        const old = sha256(before);
        await remove(tx, userId).where('token_hash', '=', old).execute();
        await tx
          .updateTable('known_browsers')
          .set({ token_hash })
          .where('token_hash', '=', old)
          .where('expires_at', '>', now)
          .execute();
      }
      await dropOldest(tx, userId, KEPT_MAX - 1);
      await tx
        .insertInto('known_browsers')
        .values({
          token_hash,
          user_id: userId,
          signed_in_at: now,
          expires_at: now + LIFE_SECONDS * 1000,
        })
        .execute();
    });
    return cookieWith(token);
  }
}

/** Every browser of a person. */
export const forgetBrowsers = (tx: Tx, userId: string) => remove(tx, userId).execute();

/** After a change of the password, and after signing out everywhere else. */
export const forgetOtherBrowsers = (tx: Tx, headers: CookieHeaders, userId: string) =>
  remove(tx, userId)
    .where('token_hash', '!=', sha256(tokenIn(headers) ?? ''))
    .execute();

const remove = (tx: Tx, userId: string) =>
  tx.deleteFrom('known_browsers').where('user_id', '=', userId);

async function dropOldest(tx: Tx, userId: string, kept: number): Promise<void> {
  const rows = await tx
    .selectFrom('known_browsers')
    .select('token_hash')
    .where('user_id', '=', userId)
    .orderBy('signed_in_at', 'desc')
    .orderBy('token_hash')
    .execute();
  const old = rows.slice(kept).map(({ token_hash }) => token_hash);
  if (old.length > 0) await remove(tx, userId).where('token_hash', 'in', old).execute();
}

function tokenIn(headers: CookieHeaders): string | null {
  const value = cookieIn(headers, BROWSER_COOKIE);
  return value !== null && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : null;
}

/** Lax, because it must be sent when the browser returns from an identity provider. */
const cookieWith = (token: string): string[] => [
  'set-cookie',
  `${BROWSER_COOKIE}=${token}; Max-Age=${LIFE_SECONDS}; Path=/; HttpOnly; Secure; SameSite=Lax`,
];
