import { useRecentDeliveries } from '../../api/webhooks.ts';
import { cx } from '../../components/cx.ts';
import { StatusDot } from '../../components/display/status-dot.tsx';
import { type DeliveryState, healthOf, stateOf } from './webhook-health.ts';

const MARKS: Record<DeliveryState, string> = {
  delivered: 'h-3 bg-good',
  retrying: 'h-4 bg-warn',
  failed: 'h-5 bg-bad',
  waiting: 'h-2 bg-edge',
};

/** One mark for each recent delivery, oldest first. Failures have higher marks. */
export function HealthStrip({ webhookId }: { readonly webhookId: string }) {
  const { data = [] } = useRecentDeliveries(webhookId);
  return (
    <span aria-hidden className="flex h-5 items-end gap-[3px]">
      {data.toReversed().map((delivery) => (
        <span key={delivery.id} className={cx('w-1 rounded-[1px]', MARKS[stateOf(delivery)])} />
      ))}
    </span>
  );
}

export function HealthText({ webhookId }: { readonly webhookId: string }) {
  const { data } = useRecentDeliveries(webhookId);
  if (!data) return <span className="text-faint">…</span>;
  const { tone, text } = healthOf(data);
  return <StatusDot tone={tone}>{text}</StatusDot>;
}
