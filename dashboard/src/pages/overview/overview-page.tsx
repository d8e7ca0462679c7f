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
import { outcomeSeries, outcomeTotals } from '../../text/outcomes.ts';
import {
  bucketName,
  bucketStarts,
  bucketTick,
  type Interval,
  intervalsFor,
  type Period,
  periodOf,
  previousPeriod,
} from '../../text/time/periods.ts';
import { timeZone } from '../../text/time/time-zone.ts';
import { HOUR } from '../../text/time/times.ts';
import { useProgress } from '../quick-start/use-progress.ts';
import { AttentionCard } from './attention-card.tsx';
import { FirstSteps } from './first-steps.tsx';
import { TopKeys } from './top-keys.tsx';
import { TotalsTiles } from './totals-tiles.tsx';

const route = getRouteApi('/shell/p/$projectId/');

const usageQuery = (projectId: string, period: Period, interval: Interval) => ({
  groupBy: 'outcome' as const,
  interval,
  projectId,
  timezone: timeZone(),
  from: new Date(period.from).toISOString(),
  to: new Date(period.to).toISOString(),
});

/** Usage of the project, and what needs attention. */
export function OverviewPage() {
  const project = useProject();
  const { range = '7d' } = route.useSearch();
  const navigate = route.useNavigate();
  // Changes once an hour, so that the cache key stays the same.
  const hour = Math.floor(useNow() / HOUR);
  const period = useMemo(() => periodOf(range, hour * HOUR), [range, hour]);
  const interval = intervalsFor(period)[0]!;
  const usage = useUsage(usageQuery(project.id, period, interval));
  const before = useUsage(usageQuery(project.id, previousPeriod(period), interval));
  const times = bucketStarts(period, interval, hour * HOUR);
  const series = outcomeSeries(usage.data ?? [], times);
  const progress = useProgress(project.id, 10_000).data;
  const isUsed = [usage.data, before.data].some((rows) => rows && outcomeTotals(rows).total > 0);
  // Known before the usage is loaded, so that no zeros are shown while loading.
  const isFirstRun = !isUsed && progress?.hasValidated === false;

  return (
    <>
      <PageHeader
        title="Overview"
        description={<span className="break-words">{project.name}</span>}
        actions={
          <RangePicker
            value={range}
            onChange={(chosen) => navigate({ search: { range: chosen }, replace: true })}
          />
        }
      />
      {progress && !progress.hasValidated && <FirstSteps progress={progress} />}
      {usage.isError && <Failure error={usage.error} onRetry={() => usage.refetch()} />}
      {!isFirstRun && (
        <>
          <TotalsTiles rows={usage.data} before={before.data} />
          <Card title="Validations" description={`By outcome. Times are in ${timeZone()}.`}>
            {usage.isPending ? (
              <Skeleton className="h-60 w-full" />
            ) : (
              <TimeSeriesChart
                label="Validations by outcome"
                times={times}
                series={series}
                nameOf={(time) => bucketName(time, interval)}
                tickOf={(time) => bucketTick(time, interval, period)}
              />
            )}
          </Card>
        </>
      )}
      <div className="grid gap-6 lg:grid-cols-2">
        <TopKeys period={period} />
        <AttentionCard />
      </div>
    </>
  );
}
