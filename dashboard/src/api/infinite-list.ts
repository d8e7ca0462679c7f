import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { List, Page } from 'keyward';
import { useCallback, useMemo } from 'react';

interface Paging {
  readonly limit: number;
  readonly cursor?: string;
}

const ROWS_ON_A_PAGE = 200;

/**
 * A list that grows as one scrolls. What it gives goes straight into a DataTable:
 * `<DataTable {...keys.table} …/>`.
 */
export function useInfiniteList<Item>(
  queryKey: QueryKey,
  list: (paging: Paging, options: { signal: AbortSignal }) => List<Item>,
  options: { readonly enabled?: boolean; readonly pageSize?: number } = {},
) {
  const limit = options.pageSize ?? ROWS_ON_A_PAGE;
  const query = useInfiniteQuery({
    queryKey,
    enabled: options.enabled ?? true,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }): Promise<Page<Item>> =>
      list({ limit, ...(pageParam !== null && { cursor: pageParam }) }, { signal }).page(),
    getNextPageParam: (page) => page.nextCursor,
  });
  const { fetchNextPage, data } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const onMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    error: query.isError ? query.error : null,
    refetch: query.refetch,
    table: {
      rows,
      isLoading: query.isPending,
      hasMore: query.hasNextPage,
      isLoadingMore: query.isFetchingNextPage,
      onMore,
    },
  };
}
