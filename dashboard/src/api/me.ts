import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Invitation } from 'keyward';
import { keyward } from './client.ts';
import { queryClient } from './query-client.ts';

export type Role = Invitation['role'];

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => keyward.me.get({ signal }),
  staleTime: 60_000,
});

/** The signed-in user. */
export const useMe = () => useQuery(meQuery);

export const invalidateMe = () => queryClient.invalidateQueries({ queryKey: ['me'] });

export async function renameMe(name: string) {
  await keyward.me.update({ name });
  await invalidateMe();
}

export async function confirmTwoFactor(code: string) {
  await keyward.me.twoFactor.confirm({ code });
  await invalidateMe();
}

export async function endTwoFactor(password: string) {
  await keyward.me.twoFactor.disable({ password });
  await invalidateMe();
}

export const useSessions = () =>
  useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => keyward.me.sessions.list({ signal }),
  });

const invalidateSessions = () => queryClient.invalidateQueries({ queryKey: ['sessions'] });

export async function endSession(id: string) {
  await keyward.me.sessions.end(id);
  await invalidateSessions();
}

export async function endOtherSessions() {
  await keyward.me.sessions.endOthers();
  await invalidateSessions();
}

export const usePasskeys = () =>
  useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => keyward.me.passkeys.list({ signal }),
  });

const invalidatePasskeys = () => queryClient.invalidateQueries({ queryKey: ['passkeys'] });

/** Creates a passkey in the browser and registers it with the server. */
export async function addPasskey(name: string) {
  const options = await keyward.me.passkeys.options();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  await keyward.me.passkeys.add({ name, response: { ...credential.toJSON() } });
  await invalidatePasskeys();
}

export async function renamePasskey(id: string, name: string) {
  await keyward.me.passkeys.rename(id, { name });
  await invalidatePasskeys();
}

export async function removePasskey(id: string) {
  await keyward.me.passkeys.remove(id);
  await invalidatePasskeys();
}
