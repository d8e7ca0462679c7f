import type { Webhook } from 'keyward';
import { useProject } from '../../../app/current.ts';
import { CopyField } from '../../../components/buttons/copy-button.tsx';
import { Badge } from '../../../components/display/badge.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { Fact } from '../../../components/display/fact.tsx';
import { StatusDot } from '../../../components/display/status-dot.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { HealthStrip, HealthText } from '../health-strip.tsx';
import { STATUSES } from '../webhook-health.ts';

export function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  const project = useProject();
  const { tone, label } = STATUSES[webhook.status];
  const headers = Object.keys(webhook.customHeaders);
  return (
    <Card>
      <dl className="grid gap-x-10 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
        <Fact label="Status">
          <StatusDot tone={tone}>{label}</StatusDot>
        </Fact>
        <Fact label="Health">
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <HealthText webhookId={webhook.id} />
            <HealthStrip webhookId={webhook.id} />
          </span>
        </Fact>
        <Fact label="Level">{webhook.projectId === null ? 'Whole account' : project.name}</Fact>
        <Fact label="Created">
          <DateTime at={webhook.createdAt} form="date" />
        </Fact>
        <Fact label="Events" className="sm:col-span-2">
          <span className="flex flex-wrap gap-1.5">
            {webhook.topics.map((topic) => (
              <Badge key={topic}>{topic}</Badge>
            ))}
          </span>
        </Fact>
        <Fact label="Custom headers">
          {headers.length === 0 ? (
            <span className="text-faint">None</span>
          ) : (
            <code className="text-sm">{headers.join(', ')}</code>
          )}
        </Fact>
        <Fact label="ID">
          <CopyField value={webhook.id} label="Copy ID" />
        </Fact>
      </dl>
    </Card>
  );
}
