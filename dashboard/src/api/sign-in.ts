import { queryOptions } from '@tanstack/react-query';
import { keyward } from './client.ts';

export const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => keyward.signIn.methods({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export async function signInWithPasskey() {
  const options = await keyward.signIn.passkeyOptions();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return keyward.signIn.withPasskey({ response: { ...credential.toJSON() } });
}
