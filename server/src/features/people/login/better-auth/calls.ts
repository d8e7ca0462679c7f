import { type ErrorCode, KeywardError } from '../../../../kernel/errors.ts';
import { type Call, RawResponse } from '../../../../kernel/route.ts';
import { CLIENT_ADDRESS_HEADER, ownCookies, REQUEST_ID_HEADER } from '../cookies.ts';
import type { Auth, AuthParts } from './auth.ts';

/** better-auth's error codes, and ours. */
const CODES: Record<string, ErrorCode> = {
  INVALID_EMAIL_OR_PASSWORD: 'sign_in_failed',
  INVALID_EMAIL: 'sign_in_failed',
  PASSWORD_TOO_LONG: 'sign_in_failed',
  PASSWORD_TOO_SHORT: 'password_weak',
  INVALID_PASSWORD: 'password_wrong',
  INVALID_CODE: 'second_factor_failed',
  INVALID_BACKUP_CODE: 'second_factor_failed',
  INVALID_TWO_FACTOR_COOKIE: 'second_factor_expired',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'second_factor_expired',
  ACCOUNT_TEMPORARILY_LOCKED: 'sign_in_throttled',
  TOTP_ALREADY_ENABLED: 'two_factor_on',
  TOTP_NOT_ENABLED: 'two_factor_off',
  TWO_FACTOR_NOT_ENABLED: 'two_factor_off',
  BACKUP_CODES_NOT_ENABLED: 'two_factor_off',
  CREDENTIAL_ACCOUNT_NOT_FOUND: 'password_wrong',
  INVALID_TOKEN: 'link_invalid',
  PROVIDER_NOT_FOUND: 'provider_not_found',
};

/** The parts of a request that a sign-in needs. */
export type LoginCall = Pick<Call, 'headers' | 'actor' | 'isGone'>;

/** The response of the browser's `navigator.credentials.get()`. */
export type PasskeyAssertion = NonNullable<
  Parameters<Auth['api']['verifyPasskeyAuthentication']>[0]
>['body']['response'];

interface CallResult<T> {
  readonly headers: Headers;
  readonly response: T;
}

/** The result, and the cookies to set, as a flat list of headers. */
export interface AuthResult<T> {
  readonly response: T;
  readonly cookies: readonly string[];
}

/** better-auth has 600 modules. Only the first sign-in loads them: many installations serve only the API. */
const loadAuth = () => import('./auth.ts');

/** Calls better-auth for one request: passes its headers, and returns the cookies. */
export class AuthCalls {
  readonly #parts: Omit<AuthParts, 'publicUrl'>;
  readonly #publicUrl: () => string;
  readonly #byUrl = new Map<string, Auth>();

  constructor(parts: Omit<AuthParts, 'publicUrl'> & { publicUrl: () => string }) {
    this.#parts = parts;
    this.#publicUrl = parts.publicUrl;
  }

  /** `otherwise`: the code for errors of better-auth that `CODES` does not list. */
  async run<T>(
    call: Pick<Call, 'headers' | 'actor'>,
    work: (auth: Auth, headers: Headers) => Promise<CallResult<T>>,
    otherwise: ErrorCode = 'session_invalid',
  ): Promise<AuthResult<T>> {
    const { isAPIError } = await loadAuth();
    try {
      const { headers, response } = await work(await this.auth(call), headersOf(call));
      return { response, cookies: cookiesIn(headers) };
    } catch (error) {
      if (!isAPIError(error)) throw error;
      const code = CODES[String(error.body?.code)] ?? otherwise;
      throw new KeywardError(code, undefined, { cause: error });
    }
  }

  /** Discards what better-auth has cached, such as the configuration of identity providers. */
  forget(): void {
    this.#byUrl.clear();
  }

  /**
   * The instance of better-auth for the public URL. If that is a loopback address and the browser uses
   * `localhost`, which passkeys need, the instance is for `localhost`.
   */
  async auth({ headers }: Pick<Call, 'headers'>): Promise<Auth> {
    const { createAuth } = await loadAuth();
    const set = new URL(this.#publicUrl());
    const isLoopback = set.hostname === '127.0.0.1' || set.hostname === '[::1]';
    if (isLoopback && headers.host === `localhost:${set.port}`) set.hostname = 'localhost';
    const publicUrl = set.origin;
    let auth = this.#byUrl.get(publicUrl);
    if (auth === undefined) {
      auth = createAuth({ ...this.#parts, publicUrl });
      this.#byUrl.set(publicUrl, auth);
    }
    return auth;
  }
}

function headersOf({ headers, actor }: Pick<Call, 'headers' | 'actor'>): Headers {
  const passed = new Headers();
  passed.set('cookie', ownCookies(headers));
  passed.set(REQUEST_ID_HEADER, actor.requestId);
  if (headers['user-agent'] !== undefined) passed.set('user-agent', String(headers['user-agent']));
  if (actor.clientAddress !== null) passed.set(CLIENT_ADDRESS_HEADER, actor.clientAddress);
  return passed;
}

const cookiesIn = (headers: Headers): string[] =>
  headers.getSetCookie().flatMap((cookie) => ['set-cookie', cookie]);

/** A response that also sets cookies. */
export const withCookies = (body: unknown, cookies: readonly string[]): RawResponse =>
  new RawResponse({
    status: 200,
    headers: ['content-type', 'application/json; charset=utf-8', ...cookies],
    body: JSON.stringify(body),
  });
