import { useState } from 'react';
import type { PortalApiKey } from '../client/records.ts';
import { usePortal } from '../state/context.ts';
import { useApiKeys, usePortalSession, useUsage } from '../state/hooks.ts';
import { useNow } from '../state/use-now.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { EmptyState, Failure } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';
import { Chart } from './chart.tsx';
import { USAGE_RANGES, type UsageRange, usageBuckets } from './ranges.ts';
import { UsageTable } from './usage-table.tsx';

/** The requests with the customer's keys over time, as a chart or as a table. */
export function Usage() {
  const { messages } = usePortal();
  const allow = usePortalSession().data?.allow ?? [];
  const [range, setRange] = useState<UsageRange>('week');
  const [keyId, setKeyId] = useState('');
  if (!allow.includes('usage:read')) return null;
  return (
    <Section title={messages.usage.title}>
      <div className="kw-filters">
        <SelectField
          label={messages.usage.range}
          value={range}
          onChange={setRange}
          options={USAGE_RANGES.map((value) => ({ value, label: messages.usage[value] }))}
        />
        {allow.includes('keys:read') && <KeyFilter value={keyId} onChange={setKeyId} />}
      </div>
      <UsageFigures range={range} keyId={keyId === '' ? undefined : keyId} />
    </Section>
  );
}

function KeyFilter({ value, onChange }: { readonly value: string; onChange(id: string): void }) {
  const { messages } = usePortal();
  const keys: readonly PortalApiKey[] = useApiKeys().data ?? [];
  return (
    <SelectField
      label={messages.usage.key}
      value={value}
      onChange={onChange}
      options={[
        { value: '', label: messages.usage.allKeys },
        ...keys.map(({ id, name, key }) => ({ value: id, label: `${name} (${key})` })),
      ]}
    />
  );
}

interface UsageFiguresProps {
  readonly range: UsageRange;
  readonly keyId: string | undefined;
}

function UsageFigures({ range, keyId }: UsageFiguresProps) {
  const { messages, format } = usePortal();
  const { data, error, reload } = useUsage(range, keyId);
  const now = useNow();
  const [asTable, setAsTable] = useState(false);
  if (error && !data) return <Failure error={error} retry={reload} />;
  if (!data) return <p className="kw-muted">{messages.loading}</p>;
  const buckets = usageBuckets(range, now, data);
  const sum = (pick: 'accepted' | 'rejected') =>
    buckets.reduce((total, bucket) => total + bucket[pick], 0);
  const [accepted, rejected] = [sum('accepted'), sum('rejected')];
  const nameOf = range === 'day' ? format.dateTime : format.date;
  const tickOf = range === 'day' ? format.hour : format.shortDate;
  if (accepted + rejected === 0)
    return <EmptyState title={messages.usage.emptyTitle}>{messages.usage.emptyText}</EmptyState>;
  return (
    <>
      <div className="kw-totals">
        <p>
          <strong>{format.number(accepted)}</strong>
          <span className="kw-series kw-series-accepted">{messages.usage.accepted}</span>
        </p>
        <p>
          <strong>{format.number(rejected)}</strong>
          <span className="kw-series kw-series-rejected">{messages.usage.rejected}</span>
        </p>
        <Button kind="quiet" onClick={() => setAsTable(!asTable)}>
          {asTable ? messages.usage.showChart : messages.usage.showTable}
        </Button>
      </div>
      {asTable ? (
        <UsageTable buckets={buckets} nameOf={nameOf} />
      ) : (
        <Chart key={range} buckets={buckets} nameOf={nameOf} tickOf={tickOf} />
      )}
    </>
  );
}
