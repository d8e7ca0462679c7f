import { queryOptions, useQuery } from '@tanstack/react-query';
import { keyward } from './client.ts';
import { queryClient } from './query-client.ts';
import type { Invitation } from './records.ts';

export type Role = Invitation['role'];

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => keyward.me.get({ signal }),
  staleTime: 60_000,
});

/** Whoever is signed in. */
export const useMe = () => useQuery(meQuery);

export const meChanged = () => queryClient.invalidateQueries({ queryKey: ['me'] });

export async function renameMe(name: string) {
  await keyward.me.update({ name });
  await meChanged();
}
