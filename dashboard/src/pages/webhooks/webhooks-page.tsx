import { useNavigate } from '@tanstack/react-router';
import type { Webhook } from 'keyward';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { useWebhooks } from '../../api/webhooks.ts';
import { useShortcut } from '../../app/browser/shortcuts.ts';
import { useProject } from '../../app/current.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Button } from '../../components/buttons/button.tsx';
import { StatusDot } from '../../components/display/status-dot.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import type { Column } from '../../components/tables/column.ts';
import { DataTable } from '../../components/tables/data-table.tsx';
import { CreateWebhook } from './forms/create-webhook.tsx';
import { HealthStrip, HealthText } from './health-strip.tsx';
import { topicsText } from './topics.ts';
import { STATUSES } from './webhook-health.ts';

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(7rem, 1.2fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'url',
    header: 'Endpoint',
    width: 'minmax(9rem, 2fr)',
    optional: 3,
    cell: ({ url }) => <code className="text-muted">{url}</code>,
  },
  {
    id: 'topics',
    header: 'Events',
    width: 'minmax(12rem, 1fr)',
    optional: 3,
    cell: ({ topics }) => topicsText(topics),
  },
  {
    id: 'strip',
    header: 'Latest deliveries',
    headerHidden: true,
    width: '13rem',
    optional: 4,
    cell: ({ id }) => <HealthStrip webhookId={id} />,
  },
  {
    id: 'health',
    header: 'Health',
    width: '10rem',
    optional: 1,
    cell: ({ id }) => <HealthText webhookId={id} />,
  },
  {
    id: 'status',
    header: 'Status',
    width: '6rem',
    cell: ({ status }) => (
      <StatusDot tone={STATUSES[status].tone}>{STATUSES[status].label}</StatusDot>
    ),
  },
];

export function WebhooksPage() {
  const project = useProject();
  const navigate = useNavigate();
  const mayWrite = useMay('webhooks:write');
  const query = useWebhooks(project.id);
  const [creating, setCreating] = useState(false);
  useShortcut('c', 'Create a webhook', () => setCreating(true), { enabled: mayWrite });

  const open = ({ id }: Webhook) =>
    navigate({
      to: '/p/$projectId/webhooks/$webhookId',
      params: { projectId: project.id, webhookId: id },
    });
  const createButton = mayWrite && (
    <Button kind="solid" icon={<Plus />} onClick={() => setCreating(true)}>
      Create webhook
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Signed messages sent to your endpoints when something happens to keys, customers or projects."
        actions={createButton}
      />
      {query.isError ? (
        <Failure
          error={query.error}
          title="The webhooks could not be loaded"
          onRetry={query.refetch}
        />
      ) : (
        <DataTable
          label="Webhooks"
          columns={COLUMNS}
          rows={query.data ?? []}
          rowKey={({ id }) => id}
          isLoading={query.isPending}
          onOpen={open}
          empty={<NoWebhooks action={createButton} />}
        />
      )}
      {creating && <CreateWebhook onClose={() => setCreating(false)} />}
    </>
  );
}

function NoWebhooks({ action }: { readonly action: React.ReactNode }) {
  const project = useProject();
  return (
    <EmptyState
      icon={<WebhookIcon />}
      title="No webhooks yet"
      action={action}
      example={{
        label: 'Create a webhook with curl',
        code: `curl -X POST ${location.origin}/webhooks \\\n  -H 'x-api-key: <ACCESS_KEY>' \\\n  -H 'content-type: application/json' \\\n  -d '{"name":"Billing sync","url":"https://example.com/hooks",\n       "projectId":"${project.id}","topics":["api-key.created","api-key.deleted"]}'`,
      }}
    >
      A webhook notifies your systems when a key in {project.name} is created, changed, revoked or
      first used. Failed deliveries are retried for more than a day.
    </EmptyState>
  );
}
