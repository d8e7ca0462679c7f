import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { QueryOf } from 'keyward';
import { keyward } from './client.ts';
import type { UsageRow } from './records.ts';

type UsageQuestion = Omit<QueryOf<'getUsage'>, 'limit' | 'cursor'>;

/** Validations over time. Counts arrive within a second or two; the page refetches them. */
export const useUsage = (question: UsageQuestion, options: { readonly enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['usage', question],
    queryFn: ({ signal }) =>
      keyward.analytics.usage({ ...question, limit: 1000 }, { signal }).toArray(),
    enabled: options.enabled ?? true,
    placeholderData: keepPreviousData,
    // A page that is opened again shows cached counts for at most a second.
    staleTime: 1_000,
    refetchInterval: 10_000,
  });

type TotalsQuestion = QueryOf<'getApiKeyTotals'>;

/** The first page of totals by key. */
export const useApiKeyTotals = (question: TotalsQuestion) =>
  useQuery({
    queryKey: ['api-key-totals', question],
    queryFn: async ({ signal }) =>
      (await keyward.analytics.apiKeyTotals(question, { signal }).page()).items,
    placeholderData: keepPreviousData,
    // A page that is opened again shows cached counts for at most a second.
    staleTime: 1_000,
    refetchInterval: 10_000,
  });

/** Most rows that a page reads. A CSV file has all of them. */
const ROWS_MAX = 10_000;

/** Counts by group, up to `ROWS_MAX` rows. */
export const useGroupedUsage = (
  question: UsageQuestion,
  options: { readonly enabled?: boolean } = {},
) =>
  useQuery({
    queryKey: ['usage', 'grouped', question],
    async queryFn({ signal }) {
      const rows: UsageRow[] = [];
      for await (const page of usagePages(question, signal)) {
        rows.push(...page.items);
        if (rows.length >= ROWS_MAX) return { rows, isWhole: page.nextCursor === null };
      }
      return { rows, isWhole: true };
    },
    enabled: options.enabled ?? true,
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

/** All pages, for a file. */
export const usagePages = (question: UsageQuestion, signal?: AbortSignal) =>
  keyward.analytics.usage({ ...question, limit: 1000 }, { signal }).pages();
