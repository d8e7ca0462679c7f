import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';

/** What was done to a key and by whom, newest first. */
export const useKeyHistory = (keyId: string) =>
  useInfiniteList(
    ['audit-logs', 'of', keyId],
    (paging, options) => keyward.auditLogs.list({ target: keyId, ...paging }, options),
    { pageSize: 20 },
  );
