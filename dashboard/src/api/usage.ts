import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { QueryOf } from 'keyward';
import { keyward } from './client.ts';
import type { UsageRow } from './records.ts';

type UsageQuestion = Omit<QueryOf<'getUsage'>, 'limit' | 'cursor'>;

/** Validations over time. Counts arrive within a second or two; the page asks again by itself. */
export const useUsage = (question: UsageQuestion, options: { readonly enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['usage', question],
    queryFn: ({ signal }) =>
      keyward.analytics.usage({ ...question, limit: 1000 }, { signal }).toArray(),
    enabled: options.enabled ?? true,
    placeholderData: keepPreviousData,
    // Whoever opens a page sees what came a second ago, and then what comes.
    staleTime: 1_000,
    refetchInterval: 10_000,
  });

type TotalsQuestion = QueryOf<'getApiKeyTotals'>;

/** The first page of totals by key, in the order that was asked for. */
export const useApiKeyTotals = (question: TotalsQuestion) =>
  useQuery({
    queryKey: ['api-key-totals', question],
    queryFn: async ({ signal }) =>
      (await keyward.analytics.apiKeyTotals(question, { signal }).page()).items,
    placeholderData: keepPreviousData,
    // Whoever opens a page sees what came a second ago, and then what comes.
    staleTime: 1_000,
    refetchInterval: 10_000,
  });

/** More rows than these are not read for a page; a file takes them all. */
const ROWS_MAX = 10_000;

/** Counts by group: whole, or as far as a page can show. */
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

/** Page by page, to the end: for a file. */
export const usagePages = (question: UsageQuestion, signal?: AbortSignal) =>
  keyward.analytics.usage({ ...question, limit: 1000 }, { signal }).pages();
