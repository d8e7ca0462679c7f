import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  useInfiniteQuery,
} from '@tanstack/react-query';
import type { List, Page } from 'keyward';
import { useCallback, useMemo } from 'react';

interface Paging {
  readonly limit: number;
  readonly cursor?: string;
}

const ROWS_ON_A_PAGE = 200;
/** More than these are not asked for again by themselves: somebody is deep in the list. */
const FRESH_PAGES_MAX = 3;

/** Whether it is still cheap to ask for the whole of a list again. */
export const isShortList = ({ state }: { readonly state: { readonly data?: unknown } }): boolean =>
  ((state.data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 0) <=
  FRESH_PAGES_MAX;

type ListCall<Item> = (paging: Paging, options: { signal: AbortSignal }) => List<Item>;

/** How such a list is asked for: for whoever asks before the page that shows it is there. */
export const infiniteListQuery = <Item>(
  queryKey: QueryKey,
  list: ListCall<Item>,
  limit = ROWS_ON_A_PAGE,
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }): Promise<Page<Item>> =>
      list({ limit, ...(pageParam !== null && { cursor: pageParam }) }, { signal }).page(),
    getNextPageParam: (page) => page.nextCursor,
    // Comparing a hundred thousand rows with what came before would hold the page at every scroll.
    structuralSharing: false,
  });

/**
 * A list that grows as one scrolls. What it gives goes straight into a DataTable:
 * `<DataTable {...keys.table} …/>`.
 */
export function useInfiniteList<Item>(
  queryKey: QueryKey,
  list: ListCall<Item>,
  options: {
    readonly enabled?: boolean;
    readonly pageSize?: number;
    /** Whether the rows of the question before stay in sight until the new ones are there. */
    keeps?(before: QueryKey): boolean;
    /** Asks again so often while the list is short: for what changes by itself. */
    readonly refreshMs?: number;
  } = {},
) {
  const query = useInfiniteQuery({
    ...infiniteListQuery(queryKey, list, options.pageSize),
    enabled: options.enabled ?? true,
    placeholderData: (data, before) =>
      before && options.keeps?.(before.queryKey) ? data : undefined,
    refetchOnMount: isShortList,
    refetchOnWindowFocus: isShortList,
    refetchOnReconnect: isShortList,
    refetchInterval: (one) => (isShortList(one) ? (options.refreshMs ?? false) : false),
  });
  const { fetchNextPage, data } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const onMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    error: query.isError ? query.error : null,
    refetch: query.refetch,
    table: {
      rows,
      /** The rows are those of the previous query. */
      isOutdated: query.isPlaceholderData,
      isLoading: query.isPending,
      hasMore: query.hasNextPage,
      isLoadingMore: query.isFetchingNextPage,
      onMore,
    },
  };
}
