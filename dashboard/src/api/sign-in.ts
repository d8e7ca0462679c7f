import { queryOptions } from '@tanstack/react-query';
import { peopleCall } from './people-call.ts';

interface SignInMethods {
  readonly password: boolean;
  readonly passkey: boolean;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  readonly resetByMail: boolean;
}

export interface SignedIn {
  readonly status: 'signed-in' | 'second-factor-required';
}

export const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: () => peopleCall<SignInMethods>('GET', '/auth/methods'),
  staleTime: Number.POSITIVE_INFINITY,
});

export const signIn = (body: { email: string; password: string; rememberMe: boolean }) =>
  peopleCall<SignedIn>('POST', '/auth/sign-in', body);

export const signInWithCode = (kind: 'totp' | 'recovery-code', code: string) =>
  peopleCall<SignedIn>('POST', `/auth/sign-in/${kind}`, { code });

export async function signInWithPasskey(): Promise<SignedIn> {
  const options = await peopleCall<PublicKeyCredentialRequestOptionsJSON>(
    'POST',
    '/auth/sign-in/passkey/options',
  );
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return peopleCall('POST', '/auth/sign-in/passkey', { response: credential.toJSON() });
}

/** Where the browser must go; it comes back signed in. */
export const signInWithProvider = (provider: string) =>
  peopleCall<{ url: string }>('POST', '/auth/sign-in/provider', { provider });

export const signOut = () => peopleCall<true>('POST', '/auth/sign-out');

export const askForReset = (email: string) =>
  peopleCall<true>('POST', '/auth/password/forgot', { email });

export const resetPassword = (token: string, password: string) =>
  peopleCall<true>('POST', '/auth/password/reset', { token, password });

export const setupInfo = (token: string) =>
  peopleCall<{ accountName: string; expiresAt: string }>('POST', '/auth/setup/info', { token });

export const setUp = (body: { token: string; name: string; email: string; password: string }) =>
  peopleCall<SignedIn>('POST', '/auth/setup', body);

export const acceptInvitation = (
  id: string,
  body: { token: string; name?: string; password?: string },
) => peopleCall<SignedIn>('POST', `/invitations/${encodeURIComponent(id)}/accept`, body);
