import { isCurrent, keyState } from '@keyward/rules/key-state.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ApiKey, KeywardError } from 'keyward';
import { useApiKey } from '../../../api/api-keys.ts';
import { useLeakOf } from '../../../api/leaks.ts';
import { useProject } from '../../../app/current.ts';
import { lazyPart } from '../../../app/routing/lazy-page.ts';
import { buttonClass } from '../../../components/buttons/button.tsx';
import { CodeBlock } from '../../../components/display/code-block.tsx';
import { StatusDot } from '../../../components/display/status-dot.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { PageSkeleton } from '../../../components/feedback/loading.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import { formatJson } from '../../../text/check-json.ts';
import { shortMask } from '../../../text/key-mask.ts';
import { UsageCard } from '../../analytics/lazy-usage-card.tsx';
import { HistoryCard } from '../../audit-log/history-card.tsx';
import { ShadowPreview } from '../../policies/shadow-preview.tsx';
import { RecentRefusals } from '../../refusals/recent-refusals.tsx';
import { KeyStatus } from '../key-status.tsx';
import { KeyActions } from './key-actions.tsx';
import { KeyAlerts } from './key-alerts.tsx';
import { KeyDetails } from './key-details.tsx';
import { KeyPolicies } from './key-policies.tsx';

const route = getRouteApi('/shell/p/$projectId/keys/$keyId');

const TryKey = lazyPart(async () => (await import('./try-key.tsx')).TryKey);

export function KeyPage() {
  const { keyId } = route.useParams();
  const { range } = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  const { data: key, error, refetch } = useApiKey(keyId);
  const isGone = error instanceof KeywardError && error.statusCode === 404;
  // The API also returns keys of other projects. They are shown only in their own project.
  if (isGone || (key && key.projectId !== project.id)) return <KeyNotFound />;
  if (error)
    return (
      <>
        <PageHeader title="Key" above={<KeysLink />} />
        <Failure error={error} title="The key could not be loaded" onRetry={refetch} />
      </>
    );
  if (!key) return <PageSkeleton />;
  return (
    <>
      <PageHeader
        title={key.name}
        above={<KeysLink />}
        actions={<KeyActions key={key.id} apiKey={key} />}
      />
      <Summary apiKey={key} />
      <KeyAlerts apiKey={key} />
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem] xl:grid-rows-[auto_1fr]">
        <div className="min-w-0 xl:col-start-2 xl:row-start-1">
          <KeyDetails apiKey={key} />
        </div>
        <div className="flex min-w-0 flex-col gap-6 xl:col-start-1 xl:row-span-2 xl:row-start-1">
          <KeyPolicies apiKey={key} />
          <ShadowPreview
            limits={key.limits}
            of={{ projectId: key.projectId, key: key.id }}
            what="this key"
          />
          <UsageCard
            filter={{ key: key.id }}
            what="this key"
            range={range}
            onRange={(chosen) => void navigate({ search: { range: chosen }, replace: true })}
          />
          <RecentRefusals filters={{ key: key.id }} />
          <HistoryCard targetId={key.id} what="this key" />
        </div>
        <div className="flex min-w-0 flex-col gap-6 xl:col-start-2 xl:row-start-2">
          <TryKey key={key.id} apiKey={key} />
          <KeyMetadata apiKey={key} />
        </div>
      </div>
    </>
  );
}

function KeysLink() {
  const { id } = useProject();
  return (
    <Link to="/p/$projectId/keys" params={{ projectId: id }}>
      Keys
    </Link>
  );
}

function Summary({ apiKey }: { readonly apiKey: ApiKey }) {
  const { data: leak } = useLeakOf(apiKey.id);
  const isUsable = isCurrent(keyState(apiKey, useNow()));
  return (
    <div className="-mt-4 flex flex-wrap items-center gap-x-4 gap-y-2">
      <code className="text-muted">{shortMask(apiKey.key)}</code>
      {leak && isUsable ? <StatusDot tone="bad">Leaked</StatusDot> : <KeyStatus apiKey={apiKey} />}
    </div>
  );
}

function KeyNotFound() {
  const { id, name } = useProject();
  return (
    <>
      <PageHeader title="Key not found" />
      <EmptyState
        title={`This key is not in ${name}`}
        action={
          <Link to="/p/$projectId/keys" params={{ projectId: id }} className={buttonClass('solid')}>
            View all keys
          </Link>
        }
      >
        It may have been deleted, or it belongs to another project. The audit log keeps its history.
      </EmptyState>
    </>
  );
}

export function KeyMetadata({ apiKey }: { readonly apiKey: ApiKey }) {
  const isEmpty = Object.keys(apiKey.customMetaData).length === 0;
  return (
    <Card title="Metadata" description="Returned to your server with every validation.">
      {isEmpty ? (
        <p className="text-faint">None</p>
      ) : (
        <CodeBlock label="customMetaData" code={formatJson(apiKey.customMetaData)} />
      )}
    </Card>
  );
}
