import { getRouteApi } from '@tanstack/react-router';
import { Repeat } from 'lucide-react';
import type { Delivery, Webhook } from '../../../api/records.ts';
import { useDeliveries } from '../../../api/webhooks.ts';
import { DateTime } from '../../../components/display/date-time.tsx';
import { StatusDot } from '../../../components/display/status-dot.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { Select } from '../../../components/forms/select.tsx';
import { type Column, DataTable } from '../../../components/tables/data-table.tsx';
import { FilterBar } from '../../../components/tables/filter-bar.tsx';
import { DELIVERY_STATUSES } from '../webhook-health.ts';

const route = getRouteApi('/shell/p/$projectId/webhooks/$webhookId');

const COLUMNS: readonly Column<Delivery>[] = [
  {
    id: 'topic',
    header: 'Event',
    width: 'minmax(9rem, 1.5fr)',
    cell: (delivery) => (
      <>
        <span className="flex items-center gap-2">
          <code className="truncate">{delivery.topic}</code>
          {delivery.replayId && (
            <>
              <Repeat aria-hidden className="size-3.5 shrink-0 text-faint" />
              <span className="sr-only">replayed</span>
            </>
          )}
        </span>
        {/* Where there is no room for their columns. */}
        <span className="block truncate text-muted text-xs leading-4 sm:hidden">
          {delivery.lastStatusCode ?? delivery.lastError ?? 'Not sent yet'} ·{' '}
          <DateTime at={delivery.createdAt} />
        </span>
      </>
    ),
  },
  {
    id: 'status',
    header: 'State',
    width: '7rem',
    cell: ({ status }) => {
      const { tone, label } = DELIVERY_STATUSES[status];
      return <StatusDot tone={tone}>{label}</StatusDot>;
    },
  },
  {
    id: 'answer',
    header: 'Last answer',
    width: 'minmax(8rem, 1.5fr)',
    from: 'md',
    cell: ({ lastStatusCode, lastError, attempts }) =>
      lastStatusCode === null && lastError === null ? (
        <span className="text-faint">{attempts === 0 ? 'Not tried yet' : '—'}</span>
      ) : (
        <span className="text-muted">{lastStatusCode ?? lastError}</span>
      ),
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: '5rem',
    from: 'md',
    cell: ({ attempts }) => attempts,
  },
  {
    id: 'next',
    header: 'Next attempt',
    width: '8rem',
    from: 'lg',
    cell: ({ dueAt }) => <DateTime at={dueAt} />,
  },
  {
    id: 'created',
    header: 'Made',
    width: '8rem',
    from: 'sm',
    cell: ({ createdAt }) => <DateTime at={createdAt} />,
  },
];

interface DeliveriesProps {
  readonly webhook: Webhook;
  onOpen(id: string): void;
}

export function Deliveries({ webhook, onOpen }: DeliveriesProps) {
  const { status, topic } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useDeliveries(webhook.id, { ...(status && { status }), ...(topic && { topic }) });
  const set = (part: { status?: typeof status; topic?: typeof topic }) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const isFiltered = status !== undefined || topic !== undefined;
  return (
    <section aria-labelledby="deliveries" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 id="deliveries" className="font-semibold text-lg">
            Deliveries
          </h2>
          <p className="text-faint text-sm">Kept for 30 days. New ones appear by themselves.</p>
        </div>
        <FilterBar
          onClear={isFiltered ? () => set({ status: undefined, topic: undefined }) : undefined}
        >
          <Select
            dense
            label="State"
            labelHidden
            value={status ?? ''}
            options={[{ value: '', label: 'Any state' }, ...STATUS_OPTIONS]}
            onChange={(value) => set({ status: value === '' ? undefined : value })}
          />
          <Select
            dense
            label="Topic"
            labelHidden
            value={topic ?? ''}
            options={[
              { value: '', label: 'Any topic' },
              ...webhook.topics.map((one) => ({ value: one, label: one })),
            ]}
            onChange={(value) => set({ topic: value === '' ? undefined : value })}
          />
        </FilterBar>
      </div>
      {list.error ? (
        <Failure
          error={list.error}
          title="The deliveries could not be loaded"
          onRetry={list.refetch}
        />
      ) : (
        <DataTable
          {...list.table}
          label="Deliveries"
          columns={COLUMNS}
          rowKey={({ id }) => id}
          onOpen={({ id }) => onOpen(id)}
          height="content"
          empty={
            <EmptyState title={isFiltered ? 'None like this' : 'Nothing sent yet'}>
              {isFiltered
                ? 'No delivery fits what you chose.'
                : `The first one goes out with the next ${webhook.topics[0]}. Create a key to see it.`}
            </EmptyState>
          }
        />
      )}
    </section>
  );
}

const STATUS_OPTIONS = (Object.keys(DELIVERY_STATUSES) as Delivery['status'][]).map((value) => ({
  value,
  label: DELIVERY_STATUSES[value].label,
}));
