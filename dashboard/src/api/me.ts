import { queryOptions, useQuery } from '@tanstack/react-query';
import { peopleCall } from './people-call.ts';
import { queryClient } from './query-client.ts';

export type Role = 'owner' | 'admin' | 'developer' | 'viewer';

export interface Me {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly twoFactorEnabled: boolean;
  readonly hasPassword: boolean;
  readonly createdAt: string;
  readonly sessionId: string;
  readonly accounts: readonly {
    readonly accountId: string;
    readonly accountName: string;
    readonly role: Role;
    readonly projectIds: readonly string[] | null;
  }[];
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => peopleCall<Me>('GET', '/me'),
  staleTime: 60_000,
});

/** Whoever is signed in. */
export const useMe = () => useQuery(meQuery);

export async function renameMe(name: string) {
  await peopleCall('PATCH', '/me', { name });
  await queryClient.invalidateQueries({ queryKey: ['me'] });
}
