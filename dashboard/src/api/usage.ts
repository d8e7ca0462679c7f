import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { QueryOf } from 'keyward';
import { keyward } from './client.ts';
import type { UsageRow } from './records.ts';

type UsageQuery = Omit<QueryOf<'getUsage'>, 'limit' | 'cursor'>;

/** Validations over time. A validation is counted within a second or two. */
export const useUsage = (query: UsageQuery, options: { readonly enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['usage', query],
    queryFn: ({ signal }) =>
      keyward.analytics.usage({ ...query, limit: 1000 }, { signal }).toArray(),
    enabled: options.enabled ?? true,
    placeholderData: keepPreviousData,
    // Refetch on mount, then poll.
    staleTime: 1_000,
    refetchInterval: 10_000,
  });

type TotalsQuery = QueryOf<'getApiKeyTotals'>;

/** First page of totals by key. */
export const useApiKeyTotals = (query: TotalsQuery) =>
  useQuery({
    queryKey: ['api-key-totals', query],
    queryFn: async ({ signal }) =>
      (await keyward.analytics.apiKeyTotals(query, { signal }).page()).items,
    placeholderData: keepPreviousData,
    // Refetch on mount, then poll.
    staleTime: 1_000,
    refetchInterval: 10_000,
  });

/** Largest number of rows that a page reads. A download contains all. */
const ROWS_MAX = 10_000;

/** Counts by group, up to `ROWS_MAX` rows. */
export const useGroupedUsage = (query: UsageQuery, options: { readonly enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['usage', 'grouped', query],
    async queryFn({ signal }) {
      const rows: UsageRow[] = [];
      for await (const page of usagePages(query, signal)) {
        rows.push(...page.items);
        if (rows.length >= ROWS_MAX) return { rows, isComplete: page.nextCursor === null };
      }
      return { rows, isComplete: true };
    },
    enabled: options.enabled ?? true,
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

/** All pages, for a download. */
export const usagePages = (query: UsageQuery, signal?: AbortSignal) =>
  keyward.analytics.usage({ ...query, limit: 1000 }, { signal }).pages();
