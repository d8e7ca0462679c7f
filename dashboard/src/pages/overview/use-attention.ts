import type { ApiKey, Leak } from 'keyward';
import { useExpiringKeys, useLowCredits } from '../../api/api-keys.ts';
import { useActiveLeaks } from '../../api/leaks.ts';
import { useUsage } from '../../api/usage.ts';
import { useWebhookHealth } from '../../api/webhooks.ts';
import { useProject } from '../../app/current.ts';
import type { Tone } from '../../components/feedback/notice.tsx';
import { useNow } from '../../hooks/use-now.ts';
import { counted } from '../../text/numbers.ts';
import { startOfDayAfter } from '../../text/time/periods.ts';
import { DAY, HOUR, relativeTime } from '../../text/time/times.ts';
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
/** Used if `notices.expiryDays` is empty. Long enough for a customer to be told and to replace the key. */
const SOON_DAYS = 14;

/** Problems in the project, the worst first. */
export function useAttention() {
  const { id: projectId, notices } = useProject();
  const soonDays = Math.max(...notices.expiryDays, 0) || SOON_DAYS;
  const now = useNow();
  const hour = Math.floor(now / HOUR) * HOUR;
  // The server extends this to the start of the day in UTC, because it stores usage by day.
  const dayAgo = new Date(hour - DAY).toISOString();
  const recent = { groupBy: 'key', interval: 'day', projectId, from: dayAgo } as const;
  const limited = useUsage({ ...recent, outcome: 'rate_limited' });
  const unpaid = useUsage({ ...recent, outcome: 'credits_exhausted' });
  const expired = useUsage({ ...recent, outcome: 'expired' });
  const health = useWebhookHealth(projectId, new Date(startOfDayAfter(hour, -1)).toISOString());
  const expiring = useExpiringKeys(
    projectId,
    new Date(hour + soonDays * DAY).toISOString(),
    MAX_PER_KIND,
  );
  const low = useLowCredits(projectId);
  const leaks = useActiveLeaks(projectId);
  const concerns = [
    ...leakedKeys(leaks.data ?? []),
    ...failingWebhooks(health.data ?? []),
    ...expiringKeys(expiring.data ?? [], now),
    ...refusedKeys(expired.data ?? [], 'expired', (times) => `Expired, and still used: ${times}`),
    ...refusedKeys(unpaid.data ?? [], 'unpaid', (times) => `Out of credits: refused ${times}`),
    ...keysWithFewCredits(low.data ?? [], unpaid.data ?? []),
    ...refusedKeys(limited.data ?? [], 'limited', (times) => `Rate limited ${times}`),
  ];
  const queries = [leaks, limited, unpaid, expired, health, expiring, low];
  return {
    concerns,
    isPending: queries.some(({ isPending }) => isPending),
    error: queries.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** Each key once, though it may have leaked in several places. */
function leakedKeys(leaks: readonly Leak[]): Concern[] {
  const newest = new Map(leaks.toReversed().map((leak) => [leak.keyId, leak]));
  return [...newest.values()]
    .toReversed()
    .slice(0, MAX_PER_KIND)
    .map(({ keyId, name, source }) => ({
      id: `leaked ${keyId}`,
      tone: 'bad',
      title: name ?? keyId,
      detail: `Leaked, and still active: found in ${source}`,
      // Access keys have no page.
      ...(keyId.startsWith('key_') && { keyId }),
    }));
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

/** Leaves out keys whose requests were refused: they are listed for that already. */
const keysWithFewCredits = (keys: readonly ApiKey[], refused: Usage): Concern[] =>
  keys
    .filter(({ id }) => !refused.some(({ group, total }) => group === id && total > 0))
    .slice(0, MAX_PER_KIND)
    .map(({ id, name, credits }) => ({
      id: `low ${id}`,
      tone: 'warn',
      title: name,
      detail: `${counted(credits?.remaining ?? 0, 'credit')} left`,
      keyId: id,
    }));

type Usage = NonNullable<ReturnType<typeof useUsage>['data']>;

/** Keys whose requests were refused, the most often first. `rows` count one outcome. */
function refusedKeys(rows: Usage, kind: string, detailOf: (times: string) => string): Concern[] {
  const byKey = new Map<string, { name: string; times: number }>();
  for (const { group, name, total } of rows) {
    if (group === null || total === 0) continue;
    const known = byKey.get(group)?.times ?? 0;
    byKey.set(group, { name: name ?? group, times: known + total });
  }
  return [...byKey]
    .toSorted(([, a], [, b]) => b.times - a.times)
    .slice(0, MAX_PER_KIND)
    .map(([keyId, { name, times }]) => ({
      id: `${kind} ${keyId}`,
      tone: 'warn',
      title: name,
      detail: `${detailOf(counted(times, 'time'))} since yesterday (UTC)`,
      keyId,
    }));
}
