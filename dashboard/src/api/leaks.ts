import { useQuery } from '@tanstack/react-query';
import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';

/** Reported leaks of the account, newest first. */
export const useLeaks = (accountId: string) =>
  useInfiniteList(['leaks', accountId], (paging, options) => keyward.leaks.list(paging, options), {
    pageSize: 100,
    refreshMs: 10_000,
  });

/** The newest report of a key or access key as leaked; null if there is none. */
export const useLeakOf = (keyId: string) =>
  useQuery({
    queryKey: ['api-keys', 'leak', keyId],
    queryFn: async ({ signal }) =>
      (await keyward.leaks.list({ key: keyId, limit: 1 }, { signal }).page()).items[0] ?? null,
  });

/** Leaks of keys of the project that are still active, newest first. Loaded again when keys change. */
export const useActiveLeaks = (projectId: string) =>
  useQuery({
    queryKey: ['api-keys', 'leaked', projectId],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const query = { projectId, isActive: true };
      return (await keyward.leaks.list(query, { signal }).take(100)).items;
    },
  });
