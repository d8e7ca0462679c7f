import { type InfiniteData, useQuery } from '@tanstack/react-query';
import type { ApiKey, BodyOf, Page, QueryOf } from 'keyward';
import { keyward } from './client.ts';
import { infiniteListQuery, isShortList, useInfiniteList } from './infinite-list.ts';
import { queryClient } from './query-client.ts';

export type KeyQuery = Omit<QueryOf<'listApiKeys'>, 'limit' | 'cursor'>;

const LISTS = ['api-keys', 'list'];

type Pages = InfiniteData<Page<ApiKey>, string | null>;

type ListKeys = Parameters<typeof useInfiniteList<ApiKey>>[1];

const keyListArguments = (query: KeyQuery): [unknown[], ListKeys] => [
  [...LISTS, query],
  (paging, options) => keyward.apiKeys.list({ ...query, ...paging }, options),
];

/** Fetches the list while the code of the page is still loading. */
export const prefetchApiKeys = (query: KeyQuery): Promise<void> =>
  queryClient.prefetchInfiniteQuery(infiniteListQuery(...keyListArguments(query)));

export const useApiKeys = (query: KeyQuery) =>
  useInfiniteList(
    ...keyListArguments(query),
    // While the user types, the previous rows stay visible, but never those of another project or customer.
    {
      keepsRows: ([, , previous]) =>
        (previous as KeyQuery).projectId === query.projectId &&
        (previous as KeyQuery).customAccountId === query.customAccountId,
    },
  );

/** Number of keys that match the filters. */
export const useApiKeyCount = ({ sort: _, order: __, ...filters }: KeyQuery) =>
  useQuery({
    queryKey: ['api-keys', 'count', filters],
    queryFn: ({ signal }) => keyward.apiKeys.count(filters, { signal }),
    placeholderData: (data, previous) =>
      (previous?.queryKey[2] as KeyQuery | undefined)?.projectId === filters.projectId
        ? data
        : undefined,
  });

/** Largest number of keys in one bulk action. */
export const BULK_MAX = 1000;

/** The first keys of a list, for a bulk action. */
export const firstApiKeys = async (query: KeyQuery): Promise<ApiKey[]> =>
  (await keyward.apiKeys.list(query).take(BULK_MAX)).items;

export const useApiKey = (id: string, options: { readonly enabled?: boolean } = {}) =>
  useQuery<ApiKey>({
    queryKey: ['api-keys', 'one', id],
    queryFn: ({ signal }) => keyward.apiKeys.get(id, { signal }),
    placeholderData: () => listedKey(id),
    ...options,
  });

/** The key with what applies to it through its customer and plan. */
export const useEffectiveKey = (id: string) =>
  useQuery({
    queryKey: ['api-keys', 'effective', id],
    queryFn: ({ signal }) => keyward.apiKeys.getEffective(id, { signal }),
  });

/** What is left of the limits and credits of a key now. Nothing is counted. */
export const useExplanation = (id: string, options: { readonly enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['api-keys', 'explanation', id],
    queryFn: ({ signal }) => keyward.apiKeys.explain(id, {}, { signal }),
    refetchInterval: 10_000,
    ...options,
  });

export const explainApiKey = (id: string, conditions: BodyOf<'explainApiKey'>) =>
  keyward.apiKeys.explain(id, conditions);

/** Permissions and tags of recent keys of the project, as suggestions. */
export const useUsedPolicies = (projectId: string) =>
  useQuery({
    queryKey: ['api-keys', 'policies', projectId],
    queryFn: async ({ signal }) => {
      const { items } = await keyward.apiKeys.list({ projectId }, { signal }).take(200);
      const used = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort();
      return {
        permissions: used(items.map(({ permissions }) => permissions)),
        tags: used(items.map(({ tags }) => tags)),
      };
    },
  });

/** Fetches the key, bypassing the cache. */
export const fetchApiKey = (id: string): Promise<ApiKey> => keyward.apiKeys.get(id);

function listedKey(id: string): ApiKey | undefined {
  for (const [, data] of queryClient.getQueriesData<Pages>({ queryKey: LISTS }))
    for (const { items } of data?.pages ?? []) {
      const found = items.find((key) => key.id === id);
      if (found) return found;
    }
  return undefined;
}

/** Refetches keys and their history, except long lists. */
async function invalidate() {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['api-keys'], predicate: isShortList }),
    queryClient.invalidateQueries({ queryKey: ['audit-logs'] }),
  ]);
}

/** Updates a key in all cached lists, or removes it if `update` returns null. */
function updateInLists(id: string, update: (key: ApiKey) => ApiKey | null): void {
  queryClient.setQueriesData<Pages>({ queryKey: LISTS }, (data) => {
    if (!data) return data;
    const pages = data.pages.map((page) => {
      const at = page.items.findIndex((key) => key.id === id);
      if (at < 0) return page;
      const updated = update(page.items[at]!);
      const items = page.items.toSpliced(at, 1, ...(updated ? [updated] : []));
      return { ...page, items };
    });
    return { ...data, pages };
  });
}

/** Cuts long lists to their first page and refetches: a new key is at the top. */
function restartLists() {
  queryClient.setQueriesData<Pages>(
    { queryKey: LISTS, predicate: (query) => !isShortList(query) },
    (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  );
  return invalidate();
}

/** The response contains the value, which is shown once: keep it only in the state of the dialog. */
export async function createApiKey(body: BodyOf<'createApiKey'>, idempotencyKey: string) {
  const created = await keyward.apiKeys.create(body, { idempotencyKey });
  void restartLists();
  return created;
}

/** The response contains the new value, as with `createApiKey`. */
export async function rotateApiKey(
  id: string,
  body: BodyOf<'rotateApiKey'>,
  idempotencyKey: string,
) {
  const created = await keyward.apiKeys.rotate(id, body, { idempotencyKey });
  void restartLists();
  return created;
}

export async function updateApiKey(
  id: string,
  body: Omit<BodyOf<'updateApiKey'>, 'key'>,
  ifUpdatedAt: string,
) {
  const record = await keyward.apiKeys.update(id, body, { ifUpdatedAt });
  updateInLists(id, () => record);
  await invalidate();
  return record;
}

const setActive = (id: string, isActive: boolean) =>
  updateInLists(id, (key) => ({ ...key, isActive }));

/** Not optimistic: a key must never be shown as revoked while it still works. */
export async function revokeApiKey(id: string) {
  await keyward.apiKeys.revoke(id);
  setActive(id, false);
  await invalidate();
}

/** Optimistic: shown immediately, and undone if the call fails. */
export async function reactivateApiKey(id: string) {
  setActive(id, true);
  try {
    await keyward.apiKeys.reactivate(id);
  } catch (error) {
    setActive(id, false);
    throw error;
  }
  await invalidate();
}

/** `leave` leaves the page of the key before the key is removed from the cache, which the page reads. */
export async function eraseApiKey(id: string, leave: () => Promise<unknown>) {
  await keyward.apiKeys.erase(id);
  await leave();
  updateInLists(id, () => null);
  queryClient.removeQueries({ queryKey: ['api-keys', 'one', id] });
  void invalidate();
}

const CONCURRENT_MAX = 6;

/** Revokes many keys, a few at a time. Returns one error for each key that failed. */
export const revokeApiKeys = (ids: readonly string[]) =>
  forEach(ids, async (id) => {
    await keyward.apiKeys.revoke(id);
    setActive(id, false);
  });

export const reactivateApiKeys = (ids: readonly string[]) =>
  forEach(ids, async (id) => {
    await keyward.apiKeys.reactivate(id);
    setActive(id, true);
  });

/** Changes the same fields of many keys. */
export const updateApiKeys = (
  ids: readonly string[],
  change: Pick<BodyOf<'updateApiKey'>, 'expiry' | 'rateLimitConfigs'>,
) =>
  forEach(ids, async (id) => {
    const record = await keyward.apiKeys.update(id, change);
    updateInLists(id, () => record);
  });

export const eraseApiKeys = (ids: readonly string[]) =>
  forEach(ids, async (id) => {
    await keyward.apiKeys.erase(id);
    updateInLists(id, () => null);
    queryClient.removeQueries({ queryKey: ['api-keys', 'one', id] });
  });

async function forEach(ids: readonly string[], act: (id: string) => Promise<unknown>) {
  const failures: unknown[] = [];
  const queue = [...ids];
  const work = async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      await act(id).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: CONCURRENT_MAX }, work));
  await invalidate();
  return failures;
}

/** Usable keys with few credits left. */
export const useLowCredits = (projectId: string) =>
  useQuery({
    queryKey: ['api-keys', 'low-credits', projectId],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const expiresAfter = new Date().toISOString();
      const query = { projectId, isActive: true, expiresAfter, lowCredits: true };
      const { items } = await keyward.apiKeys.list(query, { signal }).take(100);
      return items.filter(({ rotatedTo }) => rotatedTo === null);
    },
  });

/** Active keys that expire before that time and have not been rotated, soonest first. */
export const useExpiringKeys = (projectId: string, expiresBefore: string, limit: number) =>
  useQuery({
    queryKey: ['api-keys', 'expiring', projectId, expiresBefore, limit],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const expiresAfter = new Date().toISOString();
      const filter = { projectId, isActive: true, expiresAfter, expiresBefore };
      const query = { ...filter, sort: 'expiresAt' } as const;
      const { items } = await keyward.apiKeys.list(query, { signal }).take(100);
      return items.filter(({ rotatedTo }) => rotatedTo === null).slice(0, limit);
    },
  });
