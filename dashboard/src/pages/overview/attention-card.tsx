import { Link } from '@tanstack/react-router';
import { ChevronRight, CircleCheck } from 'lucide-react';
import { useProject } from '../../app/current.ts';
import { StatusDot } from '../../components/display/status-dot.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { Card } from '../../components/layout/card.tsx';
import { type Concern, useAttention } from './use-attention.ts';

export function AttentionCard() {
  const { concerns, isPending, error } = useAttention();
  return (
    <Card title="Needs attention" flush>
      <div className="px-5 pb-4 empty:hidden">
        {isPending && <Skeleton className="h-20 w-full" />}
        {error && <Failure error={error} />}
        {!isPending && !error && concerns.length === 0 && (
          <p className="flex items-center gap-2 text-muted">
            <CircleCheck aria-hidden className="size-4 text-good" />
            No keys expire soon, hit their limits, run out of credits or have leaked, and webhooks
            are delivered.
          </p>
        )}
      </div>
      {concerns.length > 0 && (
        <ul className="border-line border-t">
          {concerns.map((concern) => (
            <li key={concern.id} className="border-line border-b last:border-b-0">
              <ConcernLink concern={concern} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function ConcernLink({ concern }: { readonly concern: Concern }) {
  const { id: projectId, accountId } = useProject();
  const { tone, title, detail, keyId, webhookId } = concern;
  const content = (
    <>
      <span className="min-w-0 flex-1">
        <StatusDot tone={tone}>
          <span className="truncate font-medium">{title}</span>
        </StatusDot>
        <span className="block pl-4 text-faint text-sm">{detail}</span>
      </span>
      <ChevronRight aria-hidden className="size-4 text-faint" />
    </>
  );
  const className =
    'flex items-center gap-3 px-5 py-2.5 focus-visible:-outline-offset-2 hover:bg-hover';
  if (webhookId === undefined && keyId === undefined)
    return (
      <Link to="/a/$accountId/leaks" params={{ accountId }} className={className}>
        {content}
      </Link>
    );
  return webhookId !== undefined ? (
    <Link
      to="/p/$projectId/webhooks/$webhookId"
      params={{ projectId, webhookId }}
      search={{ since: 'yesterday' }}
      className={className}
    >
      {content}
    </Link>
  ) : (
    <Link
      to="/p/$projectId/keys/$keyId"
      params={{ projectId, keyId: keyId ?? '' }}
      className={className}
    >
      {content}
    </Link>
  );
}
