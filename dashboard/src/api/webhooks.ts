import { useQuery } from '@tanstack/react-query';
import type { BodyOf, QueryOf, Webhook } from 'keyward';
import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';
import { queryClient } from './query-client.ts';

const ALL = { limit: 1000 };

/** Webhooks that receive events of a project: its own and account-level ones. Newest first. */
async function webhooksOf(projectId: string, signal: AbortSignal) {
  const [own, wide] = await Promise.all([
    keyward.webhooks.list({ ...ALL, projectId }, { signal }).toArray(),
    keyward.webhooks.list({ ...ALL, projectId: 'null' }, { signal }).toArray(),
  ]);
  return [...own, ...wide].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
}

export const useWebhooks = (projectId: string) =>
  useQuery({
    queryKey: ['webhooks', 'list', projectId],
    queryFn: ({ signal }) => webhooksOf(projectId, signal),
    refetchInterval: 30_000,
  });

/** Polled, because the server disables a webhook whose endpoint is gone. */
export const useWebhook = (id: string) =>
  useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => keyward.webhooks.get(id, { signal }),
    refetchInterval: 15_000,
  });

const RECENT = 30;

/** The latest deliveries of a webhook, for its health. */
export const useRecentDeliveries = (id: string) =>
  useQuery({
    queryKey: ['webhooks', 'recent-deliveries', id],
    queryFn: async ({ signal }) =>
      (await keyward.webhooks.deliveries.list(id, {}, { signal }).take(RECENT)).items,
    refetchInterval: 15_000,
  });

type DeliveryFilters = Omit<QueryOf<'listWebhookDeliveries'>, 'limit' | 'cursor'>;

export const useDeliveries = (id: string, filters: DeliveryFilters) =>
  useInfiniteList(
    ['webhooks', 'deliveries', id, filters],
    (paging, options) => keyward.webhooks.deliveries.list(id, { ...filters, ...paging }, options),
    { pageSize: 50, refreshMs: 5_000 },
  );

export const useDelivery = (id: string, delivery: string) =>
  useQuery({
    queryKey: ['webhooks', 'delivery', id, delivery],
    queryFn: ({ signal }) => keyward.webhooks.deliveries.get(id, delivery, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 1_500 : 10_000),
  });

/** The latest replays. Polls faster while one is running. */
export const useReplays = (id: string) =>
  useQuery({
    queryKey: ['webhooks', 'replays', id],
    queryFn: async ({ signal }) =>
      (await keyward.webhooks.replays.list(id, {}, { signal }).take(5)).items,
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'running') ? 1_000 : 30_000,
  });

const invalidate = () => queryClient.invalidateQueries({ queryKey: ['webhooks'] });

/** Longer than the timeout of the server for the endpoint. */
const PING_TIMEOUT_MS = 20_000;

export const pingWebhook = (body: BodyOf<'pingWebhook'>) =>
  keyward.webhooks.ping(body, { timeoutMs: PING_TIMEOUT_MS, retries: 0 });

/** The response contains the secret, which is shown once: keep it only in the state of the dialog. */
export async function createWebhook(body: BodyOf<'createWebhook'>, idempotencyKey: string) {
  const created = await keyward.webhooks.create(body, { idempotencyKey });
  void invalidate();
  return created;
}

/** The response contains the new secret, as with `createWebhook`. */
export async function rotateWebhookSecret(id: string) {
  const created = await keyward.webhooks.rotateSecret(id);
  void invalidate();
  return created;
}

export const fetchWebhook = (id: string) => keyward.webhooks.get(id);

export async function updateWebhook(
  id: string,
  body: BodyOf<'updateWebhook'>,
  options: { readonly ifUpdatedAt?: string } = {},
) {
  await keyward.webhooks.update(id, body, options);
  await invalidate();
}

export async function deleteWebhook(id: string) {
  await keyward.webhooks.delete(id);
  queryClient.removeQueries({ queryKey: ['webhooks', 'one', id] });
  await queryClient.invalidateQueries({ queryKey: ['webhooks', 'list'] });
}

export async function retryDelivery(id: string, delivery: string) {
  await keyward.webhooks.deliveries.retry(id, delivery);
  await invalidate();
}

/** Retries every failed delivery. Returns how many, and how many could not be retried. */
export async function retryFailedDeliveries(id: string, filters: DeliveryFilters) {
  const failed = await keyward.webhooks.deliveries
    .list(id, { ...filters, ...ALL, status: 'failed' })
    .toArray();
  const errors: unknown[] = [];
  for (const { id: delivery } of failed)
    await keyward.webhooks.deliveries.retry(id, delivery).catch((error) => errors.push(error));
  await invalidate();
  if (errors.length > 0 && errors.length === failed.length) throw errors[0];
  return { retried: failed.length - errors.length, failed: errors.length };
}

export async function startReplay(id: string, body: BodyOf<'startWebhookReplay'>) {
  const replay = await keyward.webhooks.replay(id, body);
  await invalidate();
  return replay;
}

const HEALTH_MAX = 50;

/** The failed deliveries since `since` and the latest deliveries of up to 50 webhooks, disabled ones first. */
export const useWebhookHealth = (projectId: string, since: string) =>
  useQuery({
    queryKey: ['webhooks', 'health', projectId, since],
    staleTime: 60_000,
    async queryFn({ signal }) {
      const rank = ({ status }: Webhook) => (status === 'disabled' ? 0 : 1);
      const webhooks = (await webhooksOf(projectId, signal))
        .toSorted((a, b) => rank(a) - rank(b))
        .slice(0, HEALTH_MAX);
      return Promise.all(
        webhooks.map(async (webhook) => {
          const query = { status: 'failed' as const, from: since };
          const failed = await keyward.webhooks.deliveries
            .list(webhook.id, query, { signal })
            .take(100);
          const recent = await keyward.webhooks.deliveries
            .list(webhook.id, {}, { signal })
            .take(RECENT);
          return { webhook, failed: failed.items.length, recent: recent.items };
        }),
      );
    },
  });
