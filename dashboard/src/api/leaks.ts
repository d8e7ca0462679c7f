import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';

/** Reported leaks of the account, newest first. */
export const useLeaks = (accountId: string) =>
  useInfiniteList(['leaks', accountId], (paging, options) => keyward.leaks.list(paging, options), {
    pageSize: 100,
    refreshMs: 10_000,
  });
