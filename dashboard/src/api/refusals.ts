import { useQuery } from '@tanstack/react-query';
import type { QueryOf } from 'keyward';
import { keyward } from './client.ts';

export type RefusalFilters = Pick<
  QueryOf<'listRefusals'>,
  'projectId' | 'key' | 'customAccountId' | 'code'
>;

/** The latest refusals, and how many others were not recorded. Polls for new ones. */
export const useRecentRefusals = (filters: RefusalFilters, limit: number) =>
  useQuery({
    queryKey: ['refusals', filters, limit],
    refetchInterval: 10_000,
    async queryFn({ signal }) {
      const query = { ...filters, limit };
      const { body, headers } = await keyward.request('listRefusals', { query }, { signal });
      return { rows: body, omitted: Number(headers.get('keyward-omitted') ?? 0) };
    },
  });
