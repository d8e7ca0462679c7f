import { getRouteApi } from '@tanstack/react-router';
import type { Delivery, Webhook } from 'keyward';
import { Repeat, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { retryFailedDeliveries, useDeliveries } from '../../../api/webhooks.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { StatusDot } from '../../../components/display/status-dot.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Select } from '../../../components/forms/select.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import type { Column } from '../../../components/tables/column.ts';
import { DataTable } from '../../../components/tables/data-table.tsx';
import { FilterBar } from '../../../components/tables/filter-bar.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import { counted } from '../../../text/numbers.ts';
import { startOfDayAfter } from '../../../text/time/periods.ts';
import { DAY, HOUR } from '../../../text/time/times.ts';
import { DELIVERY_STATUSES, deliveryStatus } from '../webhook-health.ts';

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
        {/* On narrow screens, where their columns are hidden. */}
        <span className="block truncate text-muted text-xs leading-4 sm:hidden">
          {delivery.resourceName} ·{' '}
          {delivery.lastStatusCode ?? delivery.lastError ?? 'Not sent yet'} ·{' '}
          <DateTime at={delivery.createdAt} />
        </span>
      </>
    ),
  },
  {
    id: 'resource',
    header: 'Resource',
    width: 'minmax(7rem, 1fr)',
    optional: 1,
    cell: ({ resourceName }) => resourceName,
  },
  {
    id: 'status',
    header: 'Status',
    width: '8.5rem',
    cell: (delivery) => {
      const { tone, label } = deliveryStatus(delivery);
      return <StatusDot tone={tone}>{label}</StatusDot>;
    },
  },
  {
    id: 'response',
    header: 'Response',
    width: 'minmax(8rem, 1.5fr)',
    optional: 2,
    cell: ({ lastStatusCode, lastError, attempts }) =>
      lastStatusCode === null && lastError === null ? (
        <span className="text-faint">{attempts === 0 ? 'No attempts yet' : '—'}</span>
      ) : (
        <span className="text-muted">{lastStatusCode ?? lastError}</span>
      ),
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: '5rem',
    optional: 2,
    cell: ({ attempts }) => attempts,
  },
  {
    id: 'next',
    header: 'Next attempt',
    width: '8rem',
    optional: 3,
    cell: ({ dueAt }) => <DateTime at={dueAt} form="upcoming" />,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8rem',
    optional: 1,
    cell: ({ createdAt }) => <DateTime at={createdAt} />,
  },
];

interface DeliveriesProps {
  readonly webhook: Webhook;
  onOpen(id: string): void;
}

export function Deliveries({ webhook, onOpen }: DeliveriesProps) {
  const { status, topic, since } = route.useSearch();
  const mayWrite = useMay('webhooks:write');
  const [isRetrying, setRetrying] = useState(false);
  const hour = Math.floor(useNow() / HOUR) * HOUR;
  const from = since && new Date(startOf(since, hour)).toISOString();
  const navigate = route.useNavigate();
  const filters = { ...(topic && { topic }), ...(from && { from }) };
  const list = useDeliveries(webhook.id, { ...filters, ...(status && { status }) });
  const set = (part: { status?: typeof status; topic?: typeof topic; since?: typeof since }) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const isFiltered = status !== undefined || topic !== undefined || since !== undefined;
  return (
    <section aria-labelledby="deliveries" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 id="deliveries" className="font-semibold text-lg">
            Deliveries
          </h2>
          <p className="text-faint text-sm">Kept for 30 days. The list updates automatically.</p>
        </div>
        <FilterBar
          onClear={
            isFiltered
              ? () => set({ status: undefined, topic: undefined, since: undefined })
              : undefined
          }
        >
          <Select
            dense
            label="Status"
            labelHidden
            value={status ?? ''}
            options={[{ value: '', label: 'Any status' }, ...STATUS_OPTIONS]}
            onChange={(value) => set({ status: value === '' ? undefined : value })}
          />
          <Select
            dense
            label="Event type"
            labelHidden
            value={topic ?? ''}
            options={[
              { value: '', label: 'Any event' },
              ...webhook.topics.map((one) => ({ value: one, label: one })),
            ]}
            onChange={(value) => set({ topic: value === '' ? undefined : value })}
          />
          <Select
            dense
            label="Time"
            labelHidden
            value={since ?? ''}
            options={[
              { value: '', label: 'Any time' },
              { value: 'yesterday', label: 'Since yesterday' },
              { value: '24h', label: 'Last 24 hours' },
              { value: '7d', label: 'Last 7 days' },
            ]}
            onChange={(value) => set({ since: value === '' ? undefined : value })}
          />
          {mayWrite && (
            <Button icon={<RotateCw />} onClick={() => setRetrying(true)}>
              Retry all failed…
            </Button>
          )}
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
            <EmptyState title={isFiltered ? 'No matching deliveries' : 'No deliveries yet'}>
              {isFiltered
                ? 'No deliveries match these filters.'
                : 'The first delivery is sent with the next event that this webhook subscribes to.'}
            </EmptyState>
          }
        />
      )}
      <Confirm
        open={isRetrying}
        onClose={() => setRetrying(false)}
        title="Retry all failed deliveries?"
        consequences={`Every failed delivery${topic || since ? ' that matches the event type and time of the filters' : ''} is sent again.`}
        action="Retry all failed"
        onConfirm={async () => {
          const { retried, failed } = await retryFailedDeliveries(webhook.id, filters);
          const others = failed === 0 ? '' : ` ${counted(failed, 'other')} could not be queued.`;
          toast({
            text: `${counted(retried, 'delivery', 'deliveries')} queued for retry.${others}`,
          });
        }}
      />
    </section>
  );
}

const startOf = (since: 'yesterday' | '24h' | '7d', now: number): number =>
  since === 'yesterday' ? startOfDayAfter(now, -1) : now - (since === '24h' ? DAY : 7 * DAY);

const STATUS_OPTIONS = (Object.keys(DELIVERY_STATUSES) as Delivery['status'][]).map((value) => ({
  value,
  label: DELIVERY_STATUSES[value].label,
}));
