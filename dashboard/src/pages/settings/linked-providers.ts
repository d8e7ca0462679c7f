import { useQuery } from '@tanstack/react-query';
import { keyward } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

export const useLinkedProviders = () =>
  useQuery({
    queryKey: ['linked-providers'],
    queryFn: ({ signal }) => keyward.me.linkedProviders({ signal }),
  });

export async function unlinkProvider(id: string) {
  await keyward.me.unlinkProvider(id);
  await queryClient.invalidateQueries({ queryKey: ['linked-providers'] });
}
