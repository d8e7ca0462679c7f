import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  useInfiniteQuery,
} from '@tanstack/react-query';
import type { List, Page } from 'keyward';
import { useCallback, useEffect, useMemo } from 'react';

interface Paging {
  readonly limit: number;
  readonly cursor?: string;
}

const PAGE_SIZE = 200;
/** About as many as are visible at once. */
const FIRST_ROWS = 25;
/** Longer lists are not refetched automatically: the user has scrolled far down. */
const REFETCHED_PAGES_MAX = 3;

/** Whether the list is short enough to refetch all its pages. */
export const isShortList = ({ state }: { readonly state: { readonly data?: unknown } }): boolean =>
  ((state.data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 0) <=
  REFETCHED_PAGES_MAX;

type ListCall<Item> = (paging: Paging, options: { signal: AbortSignal }) => List<Item>;

/** Options of the query, for prefetching. */
export const infiniteListQuery = <Item>(
  queryKey: QueryKey,
  list: ListCall<Item>,
  limit = PAGE_SIZE,
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }): Promise<Page<Item>> =>
      list({ limit, ...(pageParam !== null && { cursor: pageParam }) }, { signal }).page(),
    getNextPageParam: (page) => page.nextCursor,
    // Comparing 100,000 rows with the previous ones would block the page on every scroll.
    structuralSharing: false,
  });

/**
 * A list that loads more rows on scroll. `table` contains the props of a DataTable:
 * `<DataTable {...keys.table} …/>`.
 */
export function useInfiniteList<Item>(
  queryKey: QueryKey,
  list: ListCall<Item>,
  options: {
    readonly enabled?: boolean;
    readonly pageSize?: number;
    /** Whether the rows of the previous query stay visible until the new ones are loaded. */
    keepsRows?(previous: QueryKey): boolean;
    /** Polling interval while the list is short. */
    readonly refreshMs?: number;
  } = {},
) {
  const query = useInfiniteQuery({
    ...infiniteListQuery(queryKey, list, options.pageSize),
    enabled: options.enabled ?? true,
    placeholderData: (data, previous) =>
      previous && options.keepsRows?.(previous.queryKey) ? data : undefined,
    refetchOnMount: isShortList,
    refetchOnWindowFocus: isShortList,
    refetchOnReconnect: isShortList,
    refetchInterval: (one) => (isShortList(one) ? (options.refreshMs ?? false) : false),
  });
  const { fetchNextPage, data, hasNextPage, isFetching, isError } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  // A search through many rows ends a page before it has found enough, so it goes on by itself.
  const isSearching = hasNextPage && rows.length < FIRST_ROWS;
  useEffect(() => {
    if (isSearching && !isFetching && !isError) void fetchNextPage();
  }, [isSearching, isFetching, isError, fetchNextPage]);
  const onMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    error: query.isError ? query.error : null,
    refetch: query.refetch,
    table: {
      rows,
      /** The rows are still the result of the previous query. */
      isOutdated: query.isPlaceholderData,
      isLoading: query.isPending || (isSearching && rows.length === 0),
      hasMore: query.hasNextPage,
      isLoadingMore: query.isFetchingNextPage,
      onMore,
    },
  };
}
