import { useQuery } from '@tanstack/react-query';
import { keyward } from '../../api/client.ts';
import { outcomeTotals } from '../../text/outcomes.ts';

export interface Progress {
  readonly usedAccessKey: boolean;
  readonly hasKey: boolean;
  readonly hasValidated: boolean;
  readonly hasHitLimit: boolean;
  readonly hasWebhook: boolean;
}

/** The steps of the quick start, in order. The overview lists them too, until a key was validated. */
export const STEPS: readonly { readonly id: keyof Progress; readonly title: string }[] = [
  { id: 'usedAccessKey', title: 'Get an access key for your server' },
  { id: 'hasKey', title: 'Create a key for a customer' },
  { id: 'hasValidated', title: 'Validate it' },
  { id: 'hasHitLimit', title: 'Set a rate limit' },
  { id: 'hasWebhook', title: 'Get notified about changes' },
];

/** The completed steps of the project, polled so that they are checked off automatically. */
export const useProgress = (projectId: string, refreshMs = 2_000) =>
  useQuery({
    queryKey: ['quick-start', projectId],
    refetchInterval: refreshMs,
    staleTime: 0,
    async queryFn({ signal }): Promise<Progress> {
      const query = { groupBy: 'outcome', interval: 'month', projectId } as const;
      const [accessKeys, keys, webhooks, usage] = await Promise.all([
        keyward.accessKeys.list({ isActive: true }, { signal }).take(50),
        keyward.apiKeys.list({ projectId }, { signal }).take(1),
        keyward.webhooks.list({}, { signal }).take(50),
        keyward.analytics.usage(query, { signal }).take(1000),
      ]);
      const { valid, limited } = outcomeTotals(usage.items);
      return {
        usedAccessKey: accessKeys.items.some(({ lastUsedAt }) => lastUsedAt !== null),
        hasKey: keys.items.length > 0,
        hasValidated: valid > 0,
        hasHitLimit: limited > 0,
        hasWebhook: webhooks.items.some(
          (hook) => hook.projectId === null || hook.projectId === projectId,
        ),
      };
    },
  });
