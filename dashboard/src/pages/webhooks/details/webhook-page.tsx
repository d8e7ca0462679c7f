import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useWebhook } from '../../../api/webhooks.ts';
import { useProject } from '../../../app/current.ts';
import { lazyPart } from '../../../app/routing/lazy-page.ts';
import { Failure } from '../../../components/feedback/failure.tsx';
import { PageSkeleton } from '../../../components/feedback/loading.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { DeliverySheet } from '../deliveries/delivery-sheet.tsx';
import { Replays } from '../deliveries/replays.tsx';
import { type Act, WebhookActions } from './webhook-actions.tsx';
import { WebhookFacts } from './webhook-facts.tsx';
import { WebhookNotice } from './webhook-notice.tsx';

const route = getRouteApi('/shell/p/$projectId/webhooks/$webhookId');

const WebhookDialog = lazyPart(async () => (await import('./webhook-dialog.tsx')).WebhookDialog);

export function WebhookPage() {
  const { webhookId } = route.useParams();
  const { delivery } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: webhook, error, refetch } = useWebhook(webhookId);
  const [act, setAct] = useState<Act | null>(null);
  const show = (id: string | undefined) =>
    navigate({ search: (before) => ({ ...before, delivery: id }), replace: true });

  if (!webhook)
    return error ? (
      <>
        <PageHeader title="Webhook" above={<Above />} />
        <Failure error={error} title="The webhook could not be loaded" onRetry={refetch} />
      </>
    ) : (
      <PageSkeleton />
    );
  return (
    <>
      <PageHeader
        title={webhook.name}
        above={<Above />}
        description={
          <span className="break-all font-mono text-sm">
            {webhook.httpMethod} {webhook.url}
          </span>
        }
        actions={<WebhookActions webhook={webhook} onAct={setAct} />}
      />
      <WebhookNotice webhook={webhook} onAct={setAct} />
      <WebhookFacts webhook={webhook} />
      <Replays webhook={webhook} onStart={() => setAct('replay')} />
      <Deliveries webhook={webhook} onOpen={show} />
      {delivery && (
        <DeliverySheet webhook={webhook} deliveryId={delivery} onClose={() => show(undefined)} />
      )}
      {act && <WebhookDialog act={act} webhook={webhook} onClose={() => setAct(null)} />}
    </>
  );
}

function Above() {
  const project = useProject();
  return (
    <Link to="/p/$projectId/webhooks" params={{ projectId: project.id }}>
      Webhooks
    </Link>
  );
}
