import { useQuery } from '@tanstack/react-query';
import type { QueryOf } from 'keyward';
import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';

export type AuditFilters = Omit<QueryOf<'listAuditLogs'>, 'limit' | 'cursor'>;

/** Entries, newest first. Polls for new ones. */
export const useAuditLog = (
  accountId: string,
  filters: AuditFilters,
  options: { readonly enabled?: boolean } = {},
) =>
  useInfiniteList(
    ['audit-logs', 'list', accountId, filters],
    (paging, options) => keyward.auditLogs.list({ ...filters, ...paging }, options),
    { pageSize: 100, refreshMs: 5_000, ...options },
  );

/** Changes to one item, newest first. */
export const useHistory = (targetId: string) =>
  useInfiniteList(
    ['audit-logs', 'of', targetId],
    (paging, options) => keyward.auditLogs.list({ target: targetId, ...paging }, options),
    { pageSize: 20 },
  );

/** All pages, for a download. */
export const auditPages = (filters: AuditFilters) =>
  keyward.auditLogs.list({ ...filters, limit: 1000 }).pages();

export interface KnownActor {
  readonly id: string;
  readonly name: string;
  readonly kind: 'user' | 'access-key';
}

/** Possible actors: teammates first, then access keys. */
export const useActors = (accountId: string) =>
  useQuery({
    queryKey: ['audit-logs', 'actors', accountId],
    staleTime: 60_000,
    async queryFn({ signal }): Promise<KnownActor[]> {
      const query = { accountId, limit: 1000 };
      const [teammates, accessKeys] = await Promise.all([
        keyward.teammates.list(query, { signal }).toArray(),
        keyward.accessKeys.list(query, { signal }).toArray(),
      ]);
      return [
        ...teammates.map(({ id, name }) => ({ id, name, kind: 'user' as const })),
        ...accessKeys.map(({ id, name }) => ({ id, name, kind: 'access-key' as const })),
      ];
    },
  });
