import { useQuery } from '@tanstack/react-query';
import { keyward } from './client.ts';
import { queryClient } from './query-client.ts';

export const usePasskeys = () =>
  useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => keyward.me.passkeys.list({ signal }),
  });

const changed = () => queryClient.invalidateQueries({ queryKey: ['passkeys'] });

/** Asks the browser to make one, and the server to know it. */
export async function addPasskey(name: string) {
  const options = await keyward.me.passkeys.options();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  await keyward.me.passkeys.add({ name, response: { ...credential.toJSON() } });
  await changed();
}

export async function renamePasskey(id: string, name: string) {
  await keyward.me.passkeys.rename(id, { name });
  await changed();
}

export async function removePasskey(id: string) {
  await keyward.me.passkeys.remove(id);
  await changed();
}
