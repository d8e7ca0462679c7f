import { useQuery } from '@tanstack/react-query';
import { keyward } from './client.ts';

/** Active keys that end between two times and have no successor yet, the soonest first. */
export const useExpiringKeys = (projectId: string, after: string, before: string, limit: number) =>
  useQuery({
    queryKey: ['api-keys', 'expiring', projectId, after, before, limit],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const filter = { projectId, isActive: true, expiresAfter: after, expiresBefore: before };
      const query = { ...filter, sort: 'expiresAt', limit } as const;
      const { items } = await keyward.apiKeys.list(query, { signal }).page();
      return items.filter(({ rotatedTo }) => rotatedTo === null);
    },
  });
