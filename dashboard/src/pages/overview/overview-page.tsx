import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useUsage } from '../../api/usage.ts';
import { useProject } from '../../app/current.ts';
import { RangePicker } from '../../components/charts/range-picker.tsx';
import { TimeSeriesChart } from '../../components/charts/time-series-chart.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useNow } from '../../hooks/use-now.ts';
import { bucketName, bucketTick } from '../../text/buckets.ts';
import { outcomeSeries } from '../../text/outcomes.ts';
import { periodBefore, rangeBounds } from '../../text/ranges.ts';
import { HOUR } from '../../text/times.ts';
import { AttentionCard } from './attention-card.tsx';
import { FirstSteps } from './first-steps.tsx';
import { TopKeys } from './top-keys.tsx';
import { TotalsTiles } from './totals-tiles.tsx';

const route = getRouteApi('/shell/p/$projectId/');

const asked = (projectId: string, bounds: ReturnType<typeof rangeBounds>) => ({
  groupBy: 'outcome' as const,
  interval: bounds.interval,
  projectId,
  from: new Date(bounds.from).toISOString(),
  to: new Date(bounds.to).toISOString(),
});

/** How the project fares, and what in it wants somebody's attention. */
export function OverviewPage() {
  const project = useProject();
  const { range = '7d' } = route.useSearch();
  const navigate = route.useNavigate();
  // On the hour: the same question until the next one, answered from what is known already.
  const hour = Math.floor(useNow() / HOUR);
  const bounds = useMemo(() => rangeBounds(range, hour * HOUR), [range, hour]);
  const usage = useUsage(asked(project.id, bounds));
  const before = useUsage(asked(project.id, periodBefore(bounds)));
  const { times, series } = outcomeSeries(usage.data ?? [], bounds);
  const isUnused = usage.data?.length === 0 && before.data?.length === 0;

  return (
    <>
      <PageHeader
        title="Overview"
        description={project.name}
        actions={
          <RangePicker
            value={range}
            onChange={(chosen) => navigate({ search: { range: chosen }, replace: true })}
          />
        }
      />
      {isUnused && <FirstSteps />}
      {usage.isError && <Failure error={usage.error} onRetry={() => usage.refetch()} />}
      <TotalsTiles rows={usage.data} before={before.data} />
      <Card title="Validations" description="By how they ended. Times are UTC.">
        {usage.isPending ? (
          <Skeleton className="h-60 w-full" />
        ) : (
          <TimeSeriesChart
            label="Validations by outcome"
            times={times}
            series={series}
            nameOf={(time) => bucketName(bounds.interval, time)}
            tickOf={(time) => bucketTick(bounds, time)}
          />
        )}
      </Card>
      <div className="grid gap-6 lg:grid-cols-2">
        <TopKeys bounds={bounds} />
        <AttentionCard />
      </div>
    </>
  );
}
