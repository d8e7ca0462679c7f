import { useQuery } from '@tanstack/react-query';
import { type BodyOf, type Customer, KeywardError, type QueryOf } from 'keyward';
import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';
import { queryClient } from './query-client.ts';

export type CustomerQuery = Omit<QueryOf<'listCustomers'>, 'limit' | 'cursor' | 'offset'> & {
  readonly projectId: string;
};

/** Customers, newest first. */
export const useCustomers = (query: CustomerQuery) =>
  useInfiniteList(
    ['customers', 'list', query],
    (paging, options) => keyward.customers.list({ ...query, ...paging }, options),
    { keepsRows: ([, , previous]) => (previous as CustomerQuery).projectId === query.projectId },
  );

/** The customer with this id in your system; null if there are only keys with this id. */
export const useCustomer = (
  projectId: string,
  customAccountId: string,
  options: { readonly enabled?: boolean } = {},
) =>
  useQuery({
    ...options,
    queryKey: ['customers', 'one', projectId, customAccountId],
    queryFn: ({ signal }) =>
      keyward.customers.get(customAccountId, { projectId }, { signal }).catch((error: unknown) => {
        if (error instanceof KeywardError && error.code === 'customer_not_found') return null;
        throw error;
      }),
    // Validations take credits.
    refetchInterval: ({ state }) => (state.data?.credits ? 10_000 : false),
  });

const TOTALS_MAX = 1000;

/** Validations since the start of a month, of the `TOTALS_MAX` customers that have the most. */
export const useMonthTotals = (projectId: string, from: string, timezone: string) =>
  useQuery({
    queryKey: ['usage', 'by-customer', projectId, from, timezone],
    async queryFn({ signal }) {
      const query = { projectId, from, timezone, interval: 'month' } as const;
      const { items, nextCursor } = await keyward.analytics
        .usage({ ...query, groupBy: 'customAccountId', sort: 'total' }, { signal })
        .take(TOTALS_MAX);
      return {
        byCustomer: new Map(items.map(({ group, total }) => [group, total])),
        isComplete: nextCursor === null,
      };
    },
    placeholderData: (data, previous) => (previous?.queryKey[2] === projectId ? data : undefined),
    refetchInterval: 30_000,
  });

/** Validations of one customer since the start of a month. */
export const useCustomerTotal = (
  { id }: Customer,
  from: string,
  timezone: string,
  options: { readonly enabled: boolean },
) =>
  useQuery({
    queryKey: ['usage', 'of-customer', id, from, timezone],
    ...options,
    async queryFn({ signal }) {
      const query = { groupBy: 'outcome', interval: 'month', from, timezone } as const;
      const rows = await keyward.customers.usage(id, query, { signal }).toArray();
      return rows.reduce((sum, { total }) => sum + total, 0);
    },
  });

/** The `customAccountId`s of the latest keys for which no customer exists. */
export const useIdsWithoutCustomer = (projectId: string) =>
  useQuery({
    queryKey: ['customers', 'without-record', projectId],
    staleTime: 60_000,
    async queryFn({ signal }) {
      const { items } = await keyward.apiKeys.list({ projectId }, { signal }).take(200);
      const ids = [...new Set(items.map(({ customAccountId }) => customAccountId))]
        .filter((id) => id !== null)
        .slice(0, CHECKED_MAX);
      const found = await Promise.all(
        ids.map(async (id) => {
          const query = { projectId, search: id };
          const customers = await keyward.customers.list(query, { signal }).take(100);
          return customers.items.some(({ customAccountId }) => customAccountId === id);
        }),
      );
      return ids.filter((_, index) => !found[index]);
    },
  });

const CHECKED_MAX = 10;

/** The settings of a customer also apply to its keys. */
const invalidate = () =>
  Promise.all(
    ['customers', 'plans', 'api-keys', 'audit-logs', 'search'].map((name) =>
      queryClient.invalidateQueries({ queryKey: [name] }),
    ),
  );

export async function createCustomer(body: BodyOf<'createCustomer'>, idempotencyKey: string) {
  const customer = await keyward.customers.create(body, { idempotencyKey });
  await invalidate();
  return customer;
}

export const fetchCustomer = (id: string) => keyward.customers.get(id);

export async function updateCustomer(
  id: string,
  body: BodyOf<'updateCustomer'>,
  ifUpdatedAt: string,
) {
  await keyward.customers.update(id, body, {}, { ifUpdatedAt });
  await invalidate();
}

/** A link with which the portal opens as this customer. */
export async function createPortalLink(body: BodyOf<'createPortalSession'>): Promise<string> {
  const { url } = await keyward.portalSessions.create(body);
  await queryClient.invalidateQueries({ queryKey: ['audit-logs'] });
  return url;
}

export async function deleteCustomer(id: string) {
  await keyward.customers.delete(id);
  await invalidate();
}

type CreditsChange = BodyOf<'changeCustomerCredits'>;

export async function changeCustomerCredits(
  id: string,
  body: CreditsChange,
  idempotencyKey: string,
) {
  const credits = await keyward.customers.changeCredits(id, body, {}, { idempotencyKey });
  await invalidate();
  return credits;
}

export async function changeKeyCredits(id: string, body: CreditsChange, idempotencyKey: string) {
  const credits = await keyward.apiKeys.changeCredits(id, body, { idempotencyKey });
  await invalidate();
  return credits;
}
