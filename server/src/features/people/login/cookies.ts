/**
 * Browsers accept a `__Host-` cookie only with Secure and Path=/ and without Domain, so that no other
 * host, not even a subdomain, can set or shadow it.
 */
export const COOKIE_PREFIX = '__Host-keyward';
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`;

/** Headers that give better-auth the client address and the request id. A client cannot set them. */
export const CLIENT_ADDRESS_HEADER = 'x-keyward-client-address';
export const REQUEST_ID_HEADER = 'x-keyward-request-id';

export type CookieHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** null if the cookie is missing or repeated. */
export function cookieIn({ cookie }: CookieHeaders, name: string): string | null {
  if (typeof cookie !== 'string') return null;
  const found = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? found[0]!.slice(name.length + 1) : null;
}

/**
 * Our cookies as one header, as `cookieIn` reads them. better-auth reads repeated or malformed cookies
 * differently, and could act for another person than the one who was checked.
 */
export function ownCookies(headers: CookieHeaders): string {
  const pairs = typeof headers.cookie === 'string' ? headers.cookie.split(';') : [];
  const names = new Set(pairs.map((pair) => pair.split('=', 1)[0]!.trim()));
  return [...names]
    .filter((name) => name.startsWith(`${COOKIE_PREFIX}.`) && cookieIn(headers, name) !== null)
    .map((name) => `${name}=${cookieIn(headers, name)}`)
    .join('; ');
}

/** The session token. The signature after the dot is not checked: a token cannot be guessed anyway. */
export function sessionTokenIn(headers: CookieHeaders): string | null {
  const [token = ''] = (cookieIn(headers, SESSION_COOKIE) ?? '').split('.', 1);
  return /^[A-Za-z0-9_-]{16,128}$/.test(token) ? token : null;
}

/** Whether the request has a session cookie, valid or not. */
export const hasSession = ({ cookie }: CookieHeaders): boolean =>
  typeof cookie === 'string' && cookie.includes(`${SESSION_COOKIE}=`);
