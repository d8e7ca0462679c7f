import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { UsageRow } from '../../../api/records.ts';
import { useUsage } from '../../../api/usage.ts';
import { RangePicker } from '../../../components/charts/range-picker.tsx';
import { TimeSeriesChart } from '../../../components/charts/time-series-chart.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { Skeleton } from '../../../components/feedback/loading.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import { bucketName, bucketTick } from '../../../text/buckets.ts';
import { outcomeSeries } from '../../../text/outcomes.ts';
import { type Range, rangeBounds } from '../../../text/ranges.ts';

const route = getRouteApi('/shell/p/$projectId/keys/$keyId');

export function KeyUsage({ keyId }: { readonly keyId: string }) {
  const { range = '7d' } = route.useSearch();
  const navigate = route.useNavigate();
  const { from, to, interval } = rangeBounds(range, useNow());
  const { data, error, refetch } = useUsage({
    groupBy: 'outcome',
    interval,
    key: keyId,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
  return (
    <Card
      title="Usage"
      description="Validations by how they ended, in UTC"
      actions={
        <RangePicker
          value={range}
          onChange={(chosen) => void navigate({ search: { range: chosen }, replace: true })}
        />
      }
    >
      {data ? (
        <UsageChart rows={data} range={range} />
      ) : error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
    </Card>
  );
}

interface UsageChartProps {
  readonly rows: readonly UsageRow[];
  readonly range: Range;
}

function UsageChart({ rows, range }: UsageChartProps) {
  const now = useNow();
  const bounds = useMemo(() => rangeBounds(range, now), [range, now]);
  const { times, series } = useMemo(() => outcomeSeries(rows, bounds), [rows, bounds]);
  return (
    <TimeSeriesChart
      label="Validations of this key"
      times={times}
      series={series}
      nameOf={(at) => bucketName(bounds.interval, at)}
      tickOf={(at) => bucketTick(bounds, at)}
    />
  );
}
