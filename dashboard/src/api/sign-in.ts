import { queryOptions } from '@tanstack/react-query';
import { keyward } from './client.ts';
import { SIGN_IN_METHODS } from './query-client.ts';

export const methodsQuery = queryOptions({
  queryKey: [SIGN_IN_METHODS],
  queryFn: ({ signal }) => keyward.signIn.methods({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export async function signInWithPasskey() {
  return keyward.signIn.withPasskey({ response: await requestPasskey() });
}

/** Confirms the identity of the signed-in user. */
export async function confirmWithPasskey() {
  return keyward.me.confirm({ response: await requestPasskey() });
}

async function requestPasskey() {
  const options = await keyward.signIn.passkeyOptions();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return { ...credential.toJSON() };
}

export const sendPasswordReset = (email: string) => keyward.signIn.forgotPassword({ email });
