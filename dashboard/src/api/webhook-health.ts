import { useQuery } from '@tanstack/react-query';
import { keyward } from './client.ts';

/** Webhooks that hear of a project, and how many of their deliveries failed for good of late. */
export const useWebhookHealth = (projectId: string, since: string) =>
  useQuery({
    queryKey: ['webhooks', 'health', projectId, since],
    staleTime: 60_000,
    async queryFn({ signal }) {
      const { items } = await keyward.webhooks.list({ limit: 50 }, { signal }).page();
      const heard = items.filter((hook) => hook.projectId === null || hook.projectId === projectId);
      return Promise.all(
        heard.map(async (webhook) => {
          const query = { status: 'failed' as const, from: since, limit: 100 };
          const failed = await keyward.webhooks.deliveries
            .list(webhook.id, query, { signal })
            .page();
          return { webhook, failed: failed.items.length };
        }),
      );
    },
  });
