import { useQuery } from '@tanstack/react-query';
import type { QueryOf, UsageRow } from 'keyward';
import { keyward } from './client.ts';

type UsageQuery = Omit<QueryOf<'getUsage'>, 'limit' | 'cursor'>;

const SUBJECT = ['projectId', 'key', 'customAccountId', 'customUserId', 'planId'] as const;
type Subject = Pick<UsageQuery, (typeof SUBJECT)[number]>;

/** While the range changes, the previous figures stay visible, but never those of another project or key. */
const ofSameSubject =
  (query: Subject) =>
  <Data>(data: Data | undefined, previous?: { readonly queryKey: readonly unknown[] }) => {
    const before = (previous?.queryKey.at(-1) ?? {}) as Subject;
    return SUBJECT.every((field) => before[field] === query[field]) ? data : undefined;
  };

/** Validations over time. A validation is counted within a second or two. */
export const useUsage = (query: UsageQuery, options: { readonly enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['usage', query],
    queryFn: ({ signal }) =>
      keyward.analytics.usage({ ...query, limit: 1000 }, { signal }).toArray(),
    enabled: options.enabled ?? true,
    placeholderData: ofSameSubject(query),
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
    placeholderData: ofSameSubject(query),
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
    placeholderData: ofSameSubject(query),
    refetchInterval: 30_000,
  });

/** All pages, for a download. */
export const usagePages = (query: UsageQuery, signal?: AbortSignal) =>
  keyward.analytics.usage({ ...query, limit: 1000 }, { signal }).pages();
