import { type InfiniteData, useQuery } from '@tanstack/react-query';
import type { BodyOf, Page, QueryOf } from 'keyward';
import { keyward } from './client.ts';
import { infiniteListQuery, isShortList, useInfiniteList } from './infinite-list.ts';
import { queryClient } from './query-client.ts';
import type { ApiKey } from './records.ts';

export type KeyQuestion = Omit<QueryOf<'listApiKeys'>, 'limit' | 'cursor'>;

const LISTS = ['api-keys', 'list'];

type Pages = InfiniteData<Page<ApiKey>, string | null>;

type ListKeys = Parameters<typeof useInfiniteList<ApiKey>>[1];

const askedKeys = (question: KeyQuestion): [unknown[], ListKeys] => [
  [...LISTS, question],
  (paging, options) => keyward.apiKeys.list({ ...question, ...paging }, options),
];

/** Requested while the code of the page is still loading. */
export const prefetchApiKeys = (question: KeyQuestion): Promise<void> =>
  queryClient.prefetchInfiniteQuery(infiniteListQuery(...askedKeys(question)));

export const useApiKeys = (question: KeyQuestion) =>
  useInfiniteList(
    ...askedKeys(question),
    // While one types, the rows of a letter before stay; those of another project never do.
    { keeps: ([, , before]) => (before as KeyQuestion).projectId === question.projectId },
  );

/** How many keys a list has in all. */
export const useApiKeyCount = ({ sort: _, order: __, ...filters }: KeyQuestion) =>
  useQuery({
    queryKey: ['api-keys', 'count', filters],
    queryFn: ({ signal }) => keyward.apiKeys.count(filters, { signal }),
    placeholderData: (data, before) =>
      (before?.queryKey[2] as KeyQuestion | undefined)?.projectId === filters.projectId
        ? data
        : undefined,
  });

/** Keys that one bulk action takes at most. */
export const BULK_MAX = 1000;

/** The first keys of a list, for a bulk action. */
export const firstApiKeys = async (question: KeyQuestion): Promise<ApiKey[]> =>
  (await keyward.apiKeys.list({ ...question, limit: BULK_MAX }).page()).items;

export const useApiKey = (id: string, options: { readonly enabled?: boolean } = {}) =>
  useQuery<ApiKey>({
    queryKey: ['api-keys', 'one', id],
    queryFn: ({ signal }) => keyward.apiKeys.get(id, { signal }),
    placeholderData: () => listedKey(id),
    ...options,
  });

export const explainApiKey = (id: string, conditions: BodyOf<'explainApiKey'>) =>
  keyward.apiKeys.explain(id, conditions);

/** Permissions and tags that recent keys of the project have, to suggest them. */
export const useUsedPolicies = (projectId: string) =>
  useQuery({
    queryKey: ['api-keys', 'policies', projectId],
    queryFn: async ({ signal }) => {
      const { items } = await keyward.apiKeys.list({ projectId, limit: 200 }, { signal }).page();
      const used = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort();
      return {
        permissions: used(items.map(({ permissions }) => permissions)),
        tags: used(items.map(({ tags }) => tags)),
      };
    },
  });

/** As it is on the server now, whatever the cache has. */
export const fetchApiKey = (id: string): Promise<ApiKey> => keyward.apiKeys.get(id);

function listedKey(id: string): ApiKey | undefined {
  for (const [, data] of queryClient.getQueriesData<Pages>({ queryKey: LISTS }))
    for (const { items } of data?.pages ?? []) {
      const found = items.find((key) => key.id === id);
      if (found) return found;
    }
  return undefined;
}

/** What is shown of keys and of their history is asked for again, save lists that are long by now. */
async function changed() {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['api-keys'], predicate: isShortList }),
    queryClient.invalidateQueries({ queryKey: ['audit-logs'] }),
  ]);
}

/** Alters a key in every list where it stands; null takes it out. */
function alterListed(id: string, alter: (key: ApiKey) => ApiKey | null): void {
  queryClient.setQueriesData<Pages>({ queryKey: LISTS }, (data) => {
    if (!data) return data;
    const pages = data.pages.map((page) => {
      const at = page.items.findIndex((key) => key.id === id);
      if (at < 0) return page;
      const altered = alter(page.items[at]!);
      const items = page.items.toSpliced(at, 1, ...(altered ? [altered] : []));
      return { ...page, items };
    });
    return { ...data, pages };
  });
}

/** A new key stands at the top: a list that was long begins anew. */
function listAgain() {
  queryClient.setQueriesData<Pages>(
    { queryKey: LISTS, predicate: (query) => !isShortList(query) },
    (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  );
  return changed();
}

/** The answer holds the value, this once: into the state of the dialog that shows it, no further. */
export async function createApiKey(body: BodyOf<'createApiKey'>) {
  const made = await keyward.apiKeys.create(body);
  void listAgain();
  return made;
}

/** As with `createApiKey`: the answer holds the new value. */
export async function rotateApiKey(id: string, body: BodyOf<'rotateApiKey'>) {
  const made = await keyward.apiKeys.rotate(id, body);
  void listAgain();
  return made;
}

export async function updateApiKey(
  id: string,
  body: Omit<BodyOf<'updateApiKey'>, 'key'>,
  ifUpdatedAt: string,
) {
  const record = await keyward.apiKeys.update(id, body, { ifUpdatedAt });
  alterListed(id, () => record);
  await changed();
  return record;
}

const setActive = (id: string, isActive: boolean) =>
  alterListed(id, (key) => ({ ...key, isActive }));

/** Shown as revoked only when the server has said so: anything else would be a dangerous guess. */
export async function revokeApiKey(id: string) {
  await keyward.apiKeys.revoke(id);
  setActive(id, false);
  await changed();
}

/** Shown at once, and taken back if it fails. */
export async function reactivateApiKey(id: string) {
  setActive(id, true);
  try {
    await keyward.apiKeys.reactivate(id);
  } catch (error) {
    setActive(id, false);
    throw error;
  }
  await changed();
}

/** `leave` goes away from its page before it is forgotten: there is nothing left to show there. */
export async function eraseApiKey(id: string, leave: () => Promise<unknown>) {
  await keyward.apiKeys.erase(id);
  await leave();
  alterListed(id, () => null);
  queryClient.removeQueries({ queryKey: ['api-keys', 'one', id] });
  void changed();
}

const AT_ONCE = 6;

/** Revokes many, a few at a time; answers what went wrong, one entry for each that failed. */
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
    // An update must name the key: the name that it has now, which may be newer than the list.
    const { name } = await keyward.apiKeys.get(id);
    const record = await keyward.apiKeys.update(id, { name, ...change });
    alterListed(id, () => record);
  });

export const eraseApiKeys = (ids: readonly string[]) =>
  forEach(ids, async (id) => {
    await keyward.apiKeys.erase(id);
    alterListed(id, () => null);
    queryClient.removeQueries({ queryKey: ['api-keys', 'one', id] });
  });

async function forEach(ids: readonly string[], act: (id: string) => Promise<unknown>) {
  const failures: unknown[] = [];
  const queue = [...ids];
  const work = async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      await act(id).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await changed();
  return failures;
}

/** Active keys that end between two times and have no successor yet, the soonest first. */
export const useExpiringKeys = (projectId: string, after: string, before: string, limit: number) =>
  useQuery({
    queryKey: ['api-keys', 'expiring', projectId, after, before, limit],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const filter = { projectId, isActive: true, expiresAfter: after, expiresBefore: before };
      const query = { ...filter, sort: 'expiresAt', limit } as const;
      const { items } = await keyward.apiKeys.list(query, { signal }).page();
      return items.filter(({ rotatedTo }) => rotatedTo === null);
    },
  });

/** What was done to a key and by whom, newest first. */
export const useKeyHistory = (keyId: string) =>
  useInfiniteList(
    ['audit-logs', 'of', keyId],
    (paging, options) => keyward.auditLogs.list({ target: keyId, ...paging }, options),
    { pageSize: 20 },
  );
