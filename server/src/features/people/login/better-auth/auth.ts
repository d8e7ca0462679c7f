import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { APIError } from 'better-auth/api';
import { genericOAuth, twoFactor } from 'better-auth/plugins';
import type { Actor } from '../../../../kernel/actor.ts';
import type { MakeId } from '../../../../kernel/ids.ts';
import type { Secrets } from '../../../../kernel/secrets/crypto.ts';
import type { Storage } from '../../../../storage/index.ts';
import { CLIENT_ADDRESS_HEADER, COOKIE_PREFIX, REQUEST_ID_HEADER } from '../cookies.ts';
import type { PasswordHasher } from '../passwords/hasher.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from '../passwords/rules.ts';
import { LOGIN_PAGE, type LoginProviders, OIDC, PASSWORD } from '../providers/settings.ts';
import { authAdapter } from './adapter.ts';

export { isAPIError } from 'better-auth/api';

const SESSION_SECONDS = 7 * 86_400;
const RESET_LINK_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

export interface AuthParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly hasher: PasswordHasher;
  readonly providers: LoginProviders;
  readonly publicUrl: string;
  /** Sends the link for a new password; null without a mail server. */
  readonly sendReset: ((to: { email: string; name: string }, token: string) => void) | null;
  /** Called after an identity provider was linked to a person. */
  readonly onLinked: (
    userId: string,
    provider: string,
    from: Omit<Actor, 'principal'>,
  ) => Promise<void>;
}

/**
 * Configures better-auth: our tables, cookies and hashes, no sign-up, no telemetry. It is only called from
 * our routes, never mounted: see docs/decisions/0025-sign-in.md.
 */
export function createAuth(parts: AuthParts) {
  const { hasher, ids, providers, publicUrl, sendReset } = parts;
  return betterAuth({
    appName: 'Keyward',
    baseURL: publicUrl,
    basePath: '/auth',
    secret: parts.secrets.loginSecret,
    database: authAdapter(parts.storage),
    telemetry: { enabled: false },
    // Our own limits apply to the whole cluster, see sign-in/limits.ts.
    rateLimit: { enabled: false },
    logger: { disabled: true },
    // Opened for a callback with an unknown state, for example a repeated callback.
    onAPIError: { errorURL: LOGIN_PAGE },
    verification: { storeIdentifier: 'hashed' },
    session: { expiresIn: SESSION_SECONDS, updateAge: DAY_SECONDS, freshAge: 0 },
    account: { encryptOAuthTokens: true, accountLinking: { enabled: true } },
    databaseHooks: {
      account: {
        create: {
          // Only better-auth knows the person: browsers do not send the session cookie with the callback.
          after: async ({ userId, providerId }, context) => {
            if (providerId !== PASSWORD)
              await parts.onLinked(userId, providerId, originOf(context?.headers));
          },
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: RESET_LINK_SECONDS,
      password: {
        hash: (password) => hasher.hash(password),
        verify: ({ hash, password }) => hasher.verify(hash, password),
      },
      ...(sendReset && {
        sendResetPassword: async ({ user, token }) => sendReset(user, token),
      }),
    },
    socialProviders: {
      ...(providers.github && { github: { ...providers.github, disableSignUp: true } }),
      ...(providers.google && { google: { ...providers.google, disableSignUp: true } }),
    },
    plugins: [
      twoFactor({
        issuer: 'Keyward',
        backupCodeOptions: { storeBackupCodes: 'encrypted' },
        // With this lock, an attacker who knows the password could lock the person out.
        accountLockout: { enabled: false },
      }),
      passkey({
        rpID: new URL(publicUrl).hostname,
        rpName: 'Keyward',
        origin: publicUrl,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: ({ verification }) =>
            requireVerified(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: ({ verification }) =>
            requireVerified(verification.authenticationInfo.userVerified),
        },
      }),
      genericOAuth({
        config: providers.oidc
          ? [
              {
                providerId: OIDC,
                clientId: providers.oidc.clientId,
                clientSecret: providers.oidc.clientSecret,
                discoveryUrl: `${providers.oidc.issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`,
                scopes: ['openid', 'email', 'profile'],
                pkce: true,
                disableSignUp: true,
                requireIdTokenVerification: true,
                accountSubject: ({ profile }) => String(profile.sub ?? ''),
              },
            ]
          : [],
      }),
    ],
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      // `true` would put `__Secure-` in front of the prefix, which already starts with `__Host-`.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: true, httpOnly: true, sameSite: 'lax', path: '/' },
      cookies: { session_token: { attributes: { sameSite: 'strict' } } },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      database: {
        generateId: ({ model }) => {
          const prefix = PREFIXES[model];
          return prefix === undefined ? crypto.randomUUID() : ids(prefix);
        },
      },
    },
  });
}

const originOf = (headers: Headers | undefined): Omit<Actor, 'principal'> => ({
  requestId: headers?.get(REQUEST_ID_HEADER) ?? '',
  clientAddress: headers?.get(CLIENT_ADDRESS_HEADER) ?? null,
  userAgent: headers?.get('user-agent') ?? null,
});

/** Without a PIN, fingerprint or face, a passkey would be one factor. better-auth does not check this. */
function requireVerified(isVerified: boolean | undefined): void {
  if (!isVerified) throw new APIError('UNAUTHORIZED', { code: 'USER_NOT_VERIFIED' });
}

const PREFIXES: Partial<Record<string, 'usr' | 'ses' | 'psk'>> = {
  user: 'usr',
  session: 'ses',
  passkey: 'psk',
};

export type Auth = ReturnType<typeof createAuth>;
