import { useQuery } from '@tanstack/react-query';
import type { BodyOf, QueryOf } from 'keyward';
import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';
import { queryClient } from './query-client.ts';

type Filters = Omit<QueryOf<'listApiKeys'>, 'limit' | 'cursor'>;

export const useApiKeys = (filters: Filters) =>
  useInfiniteList(['api-keys', 'list', filters], (paging, options) =>
    keyward.apiKeys.list({ ...filters, ...paging }, options),
  );

export const useApiKey = (id: string) =>
  useQuery({
    queryKey: ['api-keys', 'one', id],
    queryFn: ({ signal }) => keyward.apiKeys.get(id, { signal }),
  });

const changed = () => queryClient.invalidateQueries({ queryKey: ['api-keys'] });

/** The answer holds the value, this once: into the state of the dialog that shows it, no further. */
export async function createApiKey(body: BodyOf<'createApiKey'>) {
  const made = await keyward.apiKeys.create(body);
  void changed();
  return made;
}

/** As with `createApiKey`: the answer holds the new value. */
export async function rotateApiKey(id: string, body: BodyOf<'rotateApiKey'>) {
  const made = await keyward.apiKeys.rotate(id, body);
  void changed();
  return made;
}

export async function updateApiKey(id: string, body: BodyOf<'updateApiKey'>) {
  const record = await keyward.apiKeys.update(id, body);
  await changed();
  return record;
}

export async function revokeApiKey(id: string) {
  await keyward.apiKeys.revoke(id);
  await changed();
}

export async function reactivateApiKey(id: string) {
  await keyward.apiKeys.reactivate(id);
  await changed();
}

export async function eraseApiKey(id: string) {
  await keyward.apiKeys.erase(id);
  await changed();
}
