import { queryOptions } from '@tanstack/react-query';
import type { BodyOf } from 'keyward';
import { keyward } from './client.ts';
import { peopleCall } from './people-call.ts';

export const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => keyward.call('getSignInMethods', {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const signIn = (body: BodyOf<'signIn'>) => keyward.call('signIn', { body });

export const signInWithCode = (kind: 'totp' | 'recovery-code', code: string) =>
  keyward.call(kind === 'totp' ? 'signInWithTotp' : 'signInWithRecoveryCode', { body: { code } });

export async function signInWithPasskey() {
  const options = await keyward.call('beginPasskeySignIn', {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return keyward.call('signInWithPasskey', { body: { response: { ...credential.toJSON() } } });
}

/** Where the browser must go; it comes back signed in. */
export const signInWithProvider = (provider: string) =>
  peopleCall<{ url: string }>('POST', '/auth/sign-in/provider', { provider });

export const signOut = () => keyward.call('signOut', {});

export const askForReset = (email: string) =>
  peopleCall<true>('POST', '/auth/password/forgot', { email });

export const resetPassword = (token: string, password: string) =>
  peopleCall<true>('POST', '/auth/password/reset', { token, password });

export const setupInfo = (token: string) => keyward.call('getSetupInfo', { body: { token } });

export const setUp = (body: BodyOf<'useSetupLink'>) => keyward.call('useSetupLink', { body });

export const acceptInvitation = (
  id: string,
  body: { token: string; name?: string; password?: string },
) => peopleCall<object>('POST', `/invitations/${encodeURIComponent(id)}/accept`, body);
