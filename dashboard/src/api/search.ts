import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AccessKey, ApiKey, AuditLog, Customer, Plan, Teammate, Webhook } from 'keyward';
import { shortMask } from '../text/key-mask.ts';
import { keyward } from './client.ts';

/** Something in the account that a search finds by its name, id or detail. */
export interface SearchItem {
  readonly kind: 'customer' | 'plan' | 'teammate' | 'webhook' | 'access-key' | 'deleted-key';
  readonly id: string;
  readonly name: string;
  /** Beside the name: an email address, a URL, a masked value. */
  readonly detail: string | null;
  readonly projectId: string | null;
}

const SEARCH_LENGTH_MIN = 2;
const KEYS_MAX = 6;
const CUSTOMERS_MAX = 4;
const ITEMS_MAX = 4;

export interface SearchResults {
  readonly keys: readonly ApiKey[];
  readonly items: readonly SearchItem[];
  readonly isSearching: boolean;
}

/**
 * Finds keys by name, id, start of the value, or customer; customers by name, id or email; and
 * everything else by name, id or detail.
 */
export function useSearch(accountId: string, text: string): SearchResults {
  const enabled = text.length >= SEARCH_LENGTH_MIN;
  const keys = useQuery({
    ...keysQuery(accountId, text, KEYS_MAX),
    enabled,
    placeholderData: keepPreviousData,
  });
  const customers = useQuery({
    ...customersQuery(accountId, text, CUSTOMERS_MAX),
    enabled,
    placeholderData: keepPreviousData,
  });
  const items = useQuery({ ...itemsQuery(accountId), enabled });
  if (!enabled) return { keys: [], items: [], isSearching: false };
  return {
    keys: keys.data ?? [],
    items: [...(customers.data ?? []), ...matching(items.data ?? [], text).slice(0, ITEMS_MAX)],
    isSearching: keys.isFetching || customers.isFetching || items.isLoading,
  };
}

const NO_ITEMS: readonly SearchItem[] = [];

/** Plans, teammates, webhooks, access keys and deleted keys of an account, with their names. */
export const useSearchItems = (accountId: string): readonly SearchItem[] =>
  useQuery(itemsQuery(accountId)).data ?? NO_ITEMS;

/** Largest number of targets in a query of the audit log. */
const TARGETS_MAX = 20;

/** Ids of everything that matches a text, for the audit log; undefined while loading. */
export function useTargetIds(
  accountId: string,
  text: string | undefined,
  named: readonly { readonly id: string; readonly name: string }[],
): readonly string[] | undefined {
  const enabled = text !== undefined;
  const keys = useQuery({ ...keysQuery(accountId, text ?? '', TARGETS_MAX), enabled });
  const customers = useQuery({ ...customersQuery(accountId, text ?? '', TARGETS_MAX), enabled });
  const items = useQuery({ ...itemsQuery(accountId), enabled });
  if (!enabled) return [];
  if (keys.isPending || customers.isPending || items.isPending) return undefined;
  const others = [...(items.data ?? []), ...named.map((one) => ({ ...one, detail: null }))];
  const found = [...(keys.data ?? []), ...(customers.data ?? []), ...matching(others, text)];
  const ids = found.map(({ id }) => id);
  return [...new Set(ids)].slice(0, TARGETS_MAX);
}

const matching = <Item extends Pick<SearchItem, 'id' | 'name' | 'detail'>>(
  items: readonly Item[],
  text: string,
): Item[] => {
  const wanted = text.toLowerCase();
  return items.filter(
    ({ id, name, detail }) =>
      id === text ||
      name.toLowerCase().includes(wanted) ||
      detail?.toLowerCase().includes(wanted) === true,
  );
};

const keysQuery = (accountId: string, search: string, limit: number) => ({
  queryKey: ['search', 'keys', accountId, search, limit],
  staleTime: 10_000,
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await keyward.apiKeys.list({ search }, { signal }).take(limit)).items,
});

const customersQuery = (accountId: string, search: string, limit: number) => ({
  queryKey: ['search', 'customers', accountId, search, limit],
  staleTime: 10_000,
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await keyward.customers.list({ search }, { signal }).take(limit)).items.map(customer),
});

const LIST_MAX = 1000;
/** Names of deleted keys exist only in the audit log. Only the latest are searched. */
const DELETED_MAX = 200;

/** Short lists, fetched once and searched locally. Lists that the role cannot read are omitted. */
const itemsQuery = (accountId: string) => ({
  queryKey: ['search', 'items', accountId],
  staleTime: 60_000,
  async queryFn({ signal }: { signal: AbortSignal }): Promise<SearchItem[]> {
    const query = { accountId };
    const lists = await Promise.allSettled([
      keyward.plans
        .list({}, { signal })
        .take(LIST_MAX)
        .then(({ items }) => items.map(plan)),
      keyward.teammates
        .list(query, { signal })
        .take(LIST_MAX)
        .then(({ items }) => items.map(teammate)),
      keyward.webhooks
        .list({}, { signal })
        .take(LIST_MAX)
        .then(({ items }) => items.map(webhook)),
      keyward.accessKeys
        .list(query, { signal })
        .take(LIST_MAX)
        .then(({ items }) => items.map(accessKey)),
      keyward.auditLogs
        .list({ action: 'api-key.erased' }, { signal })
        .take(DELETED_MAX)
        .then(({ items }) => items.map(deletedKey)),
    ]);
    return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  },
});

const customer = ({ id, customAccountId, name, projectId }: Customer): SearchItem => ({
  kind: 'customer',
  id,
  name: name ?? customAccountId,
  detail: customAccountId,
  projectId,
});

const plan = ({ id, name, projectId }: Plan): SearchItem => ({
  kind: 'plan',
  id,
  name,
  detail: null,
  projectId,
});

const teammate = ({ id, name, email }: Teammate): SearchItem => ({
  kind: 'teammate',
  id,
  name,
  detail: email,
  projectId: null,
});

const webhook = ({ id, name, url, projectId }: Webhook): SearchItem => ({
  kind: 'webhook',
  id,
  name,
  detail: url,
  projectId,
});

const accessKey = ({ id, name, key, projectId }: AccessKey): SearchItem => ({
  kind: 'access-key',
  id,
  name,
  detail: shortMask(key),
  projectId,
});

const deletedKey = ({ targetId, before, projectId }: AuditLog): SearchItem => ({
  kind: 'deleted-key',
  id: targetId,
  name: String(before?.name ?? targetId),
  detail: typeof before?.key === 'string' ? shortMask(before.key) : null,
  projectId,
});
