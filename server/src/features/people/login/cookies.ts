/**
 * `__Host-`: a browser takes such a cookie only with Secure and Path=/ and without Domain, so that
 * no other host, not even a subdomain, can set or shadow it.
 */
export const COOKIE_PREFIX = '__Host-keyward';
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`;

/** How better-auth learns the address that the gate has made out; never taken from outside. */
export const CLIENT_ADDRESS_HEADER = 'x-keyward-client-address';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The token in the session cookie; null when there is none, or two that could mean two people.
 * What follows the dot is better-auth's signature: the token itself cannot be guessed.
 */
export function sessionTokenIn({ cookie }: Headers): string | null {
  if (typeof cookie !== 'string') return null;
  const found = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`));
  if (found.length !== 1) return null;
  const [token = ''] = found[0]!.slice(SESSION_COOKIE.length + 1).split('.', 1);
  return /^[A-Za-z0-9_-]{16,128}$/.test(token) ? token : null;
}

/** Whether a session is claimed at all, so that whoever has other cookies is not told it ended. */
export const hasSession = ({ cookie }: Headers): boolean =>
  typeof cookie === 'string' && cookie.includes(`${SESSION_COOKIE}=`);
