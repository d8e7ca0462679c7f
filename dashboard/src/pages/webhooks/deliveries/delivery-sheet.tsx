import type { Webhook } from 'keyward';
import { RotateCw } from 'lucide-react';
import { retryDelivery, useDelivery } from '../../../api/webhooks.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { CodeBlock } from '../../../components/display/code-block.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { KeyLink } from '../../../components/display/links.tsx';
import { StatusDot } from '../../../components/display/status-dot.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { Skeleton } from '../../../components/feedback/loading.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Sheet } from '../../../components/overlays/sheet.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { formatJson } from '../../../text/check-json.ts';
import { hasValue } from '../topics.ts';
import { deliveryStatus } from '../webhook-health.ts';
import { Attempts } from './attempts.tsx';

type Delivery = NonNullable<ReturnType<typeof useDelivery>['data']>;

interface DeliverySheetProps {
  readonly webhook: Webhook;
  readonly deliveryId: string;
  onClose(): void;
}

export function DeliverySheet({ webhook, deliveryId, onClose }: DeliverySheetProps) {
  const { data: delivery, error, refetch } = useDelivery(webhook.id, deliveryId);
  const mayWrite = useMay('webhooks:write');
  const { run, busy, failure } = useAction(async () => {
    await retryDelivery(webhook.id, deliveryId);
    toast({ text: 'Delivery resent.' });
  });
  return (
    <Sheet
      open
      onClose={onClose}
      title={delivery?.topic ?? 'Delivery'}
      footer={
        mayWrite &&
        delivery &&
        delivery.status !== 'cancelled' && (
          <Button kind="solid" icon={<RotateCw />} busy={busy} onClick={() => run()}>
            {delivery.status === 'pending' ? 'Send now' : 'Resend'}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-6 p-5">
        {failure && <Notice tone="bad">{failure}</Notice>}
        {error && <Failure error={error} onRetry={refetch} />}
        {!delivery && !error && <Skeleton className="h-64 w-full" />}
        {delivery && (
          <>
            <StateOf delivery={delivery} />
            <Resource delivery={delivery} />
            <Attempts attempts={delivery.recentAttempts} />
            <Request webhook={webhook} delivery={delivery} />
          </>
        )}
      </div>
    </Sheet>
  );
}

function StateOf({ delivery }: { readonly delivery: Delivery }) {
  const { tone, label } = deliveryStatus(delivery);
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
      <StatusDot tone={tone}>
        <span className="font-medium">{label}</span>
      </StatusDot>
      <span className="text-muted text-sm">
        {delivery.status === 'pending' && (
          <>
            Next attempt <DateTime at={delivery.dueAt} form="upcoming" />
          </>
        )}
        {delivery.status === 'held' && 'Waiting for its project or webhook to be active'}
        {delivery.status === 'failed' &&
          'All attempts failed. There are no more automatic retries.'}
        {delivery.status === 'cancelled' && 'Not sent because the webhook was changed or deleted'}
      </span>
    </div>
  );
}

/** The resource of the event. An API key links to its page. */
function Resource({ delivery }: { readonly delivery: Delivery }) {
  const { topic, resourceId, resourceName, payload } = delivery;
  return (
    <p>
      <span className="text-muted">Resource: </span>
      {topic.startsWith('api-key.') && payload.projectId !== null ? (
        <KeyLink projectId={payload.projectId} id={resourceId}>
          {resourceName}
        </KeyLink>
      ) : (
        resourceName
      )}
    </p>
  );
}

interface RequestProps {
  readonly webhook: Webhook;
  readonly delivery: Delivery;
}

function Request({ webhook, delivery }: RequestProps) {
  const { pathname, search, host } = new URL(webhook.url);
  const isCloudEvent = webhook.format === 'cloudevents';
  const head = [
    `${webhook.httpMethod} ${pathname}${search}`,
    `host: ${host}`,
    `content-type: ${isCloudEvent ? 'application/cloudevents+json; charset=utf-8' : 'application/json'}`,
    `webhook-id: ${delivery.eventId}`,
    'webhook-timestamp: (time of the attempt)',
    'webhook-signature: v1,(signature)',
    ...Object.keys(webhook.customHeaders).map((name) => `${name}: (your value)`),
  ];
  return (
    <section aria-labelledby="request" className="flex flex-col gap-3">
      <h3 id="request" className="font-semibold">
        Request
      </h3>
      <CodeBlock label="Headers" code={head.join('\n')} />
      <CodeBlock label="Body" code={formatJson(delivery.payload)} />
      {hasValue(delivery.topic) && !isCloudEvent && delivery.replayId === null && (
        <p className="text-faint text-sm">
          The key value is masked here. Your endpoint receives the full value while the delivery is
          in progress, if everyone who configured the webhook may create such a key. If you resend
          it later, the value is masked.
        </p>
      )}
    </section>
  );
}
