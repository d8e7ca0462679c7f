import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { QueryOf } from 'keyward';
import { keyward } from './client.ts';

type UsageQuestion = Omit<QueryOf<'getUsage'>, 'limit' | 'cursor'>;

/** Validations over time. Counts arrive within a second or two; the page asks again by itself. */
export const useUsage = (question: UsageQuestion, options: { readonly enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['usage', question],
    queryFn: ({ signal }) =>
      keyward.analytics.usage({ ...question, limit: 1000 }, { signal }).toArray(),
    enabled: options.enabled ?? true,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

type TotalsQuestion = QueryOf<'getApiKeyTotals'>;

/** The first page of totals by key, in the order that was asked for. */
export const useApiKeyTotals = (question: TotalsQuestion) =>
  useQuery({
    queryKey: ['api-key-totals', question],
    queryFn: async ({ signal }) =>
      (await keyward.analytics.apiKeyTotals(question, { signal }).page()).items,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
