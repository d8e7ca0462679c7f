import { sha256 } from '../../../kernel/crypto.ts';
import type { Storage } from '../../../storage/index.ts';
import { COOKIE_PREFIX, type CookieHeaders, cookieIn } from './cookies.ts';

const CHALLENGE_COOKIE = `${COOKIE_PREFIX}.two_factor`;

/** Whose password was right in this browser a moment ago; better-auth asks for the second factor. */
export async function personChallenged(
  storage: Storage,
  headers: CookieHeaders,
  now: number,
): Promise<string | null> {
  const cookie = cookieIn(headers, CHALLENGE_COOKIE);
  if (cookie === null) return null;
  // What follows the last dot is better-auth's signature.
  const identifier = cookie.slice(0, Math.max(0, cookie.lastIndexOf('.')));
  const row = await storage.point
    .selectFrom('verifications')
    .select('value')
    .where('identifier', '=', sha256(identifier))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.value ?? null;
}
