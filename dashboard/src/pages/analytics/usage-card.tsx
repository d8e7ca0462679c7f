import type { QueryOf, UsageRow } from 'keyward';
import { useMemo } from 'react';
import { useUsage } from '../../api/usage.ts';
import { RangePicker } from '../../components/charts/range-picker.tsx';
import { TimeSeriesChart } from '../../components/charts/time-series-chart.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { Card } from '../../components/layout/card.tsx';
import { useNow } from '../../hooks/use-now.ts';
import { outcomeSeries } from '../../text/outcomes.ts';
import {
  bucketName,
  bucketStarts,
  bucketTick,
  type Interval,
  intervalsFor,
  type Period,
  periodOf,
} from '../../text/time/periods.ts';
import type { Range } from '../../text/time/ranges.ts';
import { timeZone } from '../../text/time/time-zone.ts';
import { HOUR } from '../../text/time/times.ts';

interface UsageCardProps {
  readonly filter: Pick<QueryOf<'getUsage'>, 'projectId' | 'key' | 'customAccountId' | 'planId'>;
  /** For example `this key`. */
  readonly what: string;
  readonly range: Range | undefined;
  onRange(range: Range): void;
}

/** Validations of a key, a customer or a plan over time, by outcome. */
export function UsageCard({ filter, what, range = '7d', onRange }: UsageCardProps) {
  const hour = Math.floor(useNow() / HOUR) * HOUR;
  const period = useMemo(() => periodOf(range, hour), [range, hour]);
  const interval = intervalsFor(period)[0]!;
  const { data, error, refetch } = useUsage({
    groupBy: 'outcome',
    interval,
    ...filter,
    timezone: timeZone(),
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
  });
  return (
    <Card
      title="Usage"
      description={`Validations by outcome. Times are in ${timeZone()}.`}
      actions={<RangePicker value={range} onChange={onRange} />}
    >
      {data ? (
        <UsageChart {...{ what, period, interval }} rows={data} now={hour} />
      ) : error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
    </Card>
  );
}

interface UsageChartProps {
  readonly what: string;
  readonly rows: readonly UsageRow[];
  readonly period: Period;
  readonly interval: Interval;
  readonly now: number;
}

function UsageChart({ what, rows, period, interval, now }: UsageChartProps) {
  const times = useMemo(() => bucketStarts(period, interval, now), [period, interval, now]);
  const series = useMemo(() => outcomeSeries(rows, times), [rows, times]);
  return (
    <TimeSeriesChart
      label={`Validations of ${what}`}
      times={times}
      series={series}
      nameOf={(at) => bucketName(at, interval)}
      tickOf={(at) => bucketTick(at, interval, period)}
    />
  );
}
