import { useExpiringKeys } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/records.ts';
import { useUsage } from '../../api/usage.ts';
import { useWebhookHealth } from '../../api/webhooks.ts';
import { useProject } from '../../app/current.ts';
import type { Tone } from '../../components/feedback/notice.tsx';
import { useNow } from '../../hooks/use-now.ts';
import { counted } from '../../text/numbers.ts';
import { addDays } from '../../text/periods.ts';
import { DAY, HOUR, relativeTime } from '../../text/times.ts';
import { stateOf } from '../webhooks/webhook-health.ts';

export interface Concern {
  readonly id: string;
  readonly tone: Tone;
  readonly title: string;
  readonly detail: string;
  readonly keyId?: string;
  readonly webhookId?: string;
}

const MAX_PER_KIND = 4;
/** Long enough to notify a customer who then has to act. */
const SOON = 14 * DAY;

/** Problems in the project, the worst first. */
export function useAttention() {
  const { id: projectId } = useProject();
  const hour = Math.floor(useNow() / HOUR) * HOUR;
  const dayAgo = new Date(hour - DAY).toISOString();
  const limited = useUsage({
    groupBy: 'key',
    interval: 'day',
    outcome: 'rate_limited',
    projectId,
    from: dayAgo,
  });
  const health = useWebhookHealth(projectId, new Date(addDays(hour, -1)).toISOString());
  const expiring = useExpiringKeys(
    projectId,
    new Date(hour).toISOString(),
    new Date(hour + SOON).toISOString(),
    MAX_PER_KIND,
  );
  const concerns = [
    ...failingWebhooks(health.data ?? []),
    ...expiringKeys(expiring.data ?? [], hour),
    ...limitedKeys(limited.data ?? []),
  ];
  return {
    concerns,
    isPending: limited.isPending || health.isPending || expiring.isPending,
    error: limited.error ?? health.error ?? expiring.error,
  };
}

type Health = NonNullable<ReturnType<typeof useWebhookHealth>['data']>;

function failingWebhooks(health: Health): Concern[] {
  return health
    .map(({ webhook, failed, recent }) => ({
      webhook,
      failed,
      recent: recent.length,
      failing: recent.filter((delivery) => stateOf(delivery) === 'retrying').length,
    }))
    .filter(
      ({ webhook, failed, failing }) => webhook.status === 'disabled' || failed > 0 || failing > 0,
    )
    .slice(0, MAX_PER_KIND)
    .map(({ webhook, failed, failing, recent }) => ({
      id: webhook.id,
      tone: 'bad',
      title: webhook.name,
      detail:
        webhook.status === 'disabled'
          ? 'Webhook disabled by Keyward'
          : failing > 0
            ? `${failing} of the last ${recent} deliveries failing`
            : `${counted(failed, 'delivery', 'deliveries')} failed since yesterday`,
      webhookId: webhook.id,
    }));
}

const expiringKeys = (keys: readonly ApiKey[], now: number): Concern[] =>
  keys.map(({ id, name, expiresAt }) => ({
    id: `expires ${id}`,
    tone: 'warn',
    title: name,
    detail: `Expires ${relativeTime(Date.parse(expiresAt ?? ''), now)}`,
    keyId: id,
  }));

type Usage = NonNullable<ReturnType<typeof useUsage>['data']>;

function limitedKeys(rows: Usage): Concern[] {
  const byKey = new Map<string, { name: string; times: number }>();
  for (const { group, name, rateLimited } of rows) {
    if (group === null || rateLimited === 0) continue;
    const known = byKey.get(group)?.times ?? 0;
    byKey.set(group, { name: name ?? group, times: known + rateLimited });
  }
  return [...byKey]
    .toSorted(([, a], [, b]) => b.times - a.times)
    .slice(0, MAX_PER_KIND)
    .map(([keyId, { name, times }]) => ({
      id: keyId,
      tone: 'warn',
      title: name,
      detail: `Rate limited ${counted(times, 'time')} in the last 24 hours`,
      keyId,
    }));
}
