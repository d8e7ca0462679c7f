import { getRouteApi } from '@tanstack/react-router';
import type { Plan, Project, UsageRow } from 'keyward';
import { ChartColumn, Download } from 'lucide-react';
import { useMemo } from 'react';
import { useAccessKeys } from '../../api/access-keys.ts';
import { useMe } from '../../api/me.ts';
import { usePlans } from '../../api/plans.ts';
import { useGroupedUsage } from '../../api/usage.ts';
import { useProject } from '../../app/current.ts';
import type { AnalyticsSearch } from '../../app/routing/page-searches.ts';
import { Button } from '../../components/buttons/button.tsx';
import { RangePicker } from '../../components/charts/range-picker.tsx';
import { TimeSeriesChart } from '../../components/charts/time-series-chart.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { toastFailure } from '../../components/feedback/toasts.tsx';
import { Checkbox } from '../../components/forms/checkbox.tsx';
import { Segmented } from '../../components/forms/segmented.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { CustomerFilter } from '../../components/tables/customer-filter.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { FilterMenu } from '../../components/tables/filter-chip.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { useNow } from '../../hooks/use-now.ts';
import { fileName } from '../../text/file-names.ts';
import { counted, wholeNumber } from '../../text/numbers.ts';
import { OUTCOME_IDS, OUTCOMES } from '../../text/outcomes.ts';
import {
  bucketName,
  bucketStarts,
  bucketTick,
  type Interval,
  intervalsFor,
  type Period,
  periodDays,
  periodOf,
  periodText,
  previousPeriod,
} from '../../text/time/periods.ts';
import { timeZone } from '../../text/time/time-zone.ts';
import { HOUR } from '../../text/time/times.ts';
import { GROUPINGS, type Grouping, groupColumns, groupName } from './group-columns.tsx';
import { KeyFilter } from './key-filter.tsx';
import { saveUsage } from './save-usage.ts';
import { UnrecognizedCard } from './unrecognized-card.tsx';
import { type Group, groupsOf, hasCosts, seriesOf, valuesAt } from './usage-groups.ts';

const route = getRouteApi('/shell/p/$projectId/analytics');

const INTERVALS: Record<Interval, string> = {
  hour: 'Hours',
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
};

const queryOf = (
  { key, account, user, plan, outcome }: AnalyticsSearch,
  { projectId, by, interval, period }: View,
) => ({
  groupBy: by,
  interval,
  ...(projectId !== null && { projectId }),
  ...(key && { key }),
  ...(account && { customAccountId: account }),
  ...(user && { customUserId: user }),
  ...(plan && { planId: plan }),
  ...(outcome && { outcome }),
  // The page reads a limited number of rows: those of the groups with the highest totals.
  ...(isSorted(by, outcome) && { sort: 'total' as const }),
  timezone: timeZone(),
  from: new Date(period.from).toISOString(),
  to: new Date(period.to).toISOString(),
});

const isSorted = (by: Grouping, outcome: string | undefined): boolean =>
  by !== 'outcome' && by !== 'accessKey' && !outcome;

const rangeOf = ({ interval, timezone, from, to }: ReturnType<typeof queryOf>) => ({
  interval,
  timezone,
  from,
  to,
});

interface View {
  /** Null for the whole account. */
  readonly projectId: string | null;
  readonly by: Grouping;
  readonly interval: Interval;
  readonly period: Period;
}

/** Validations of a project, grouped and filtered, in the selected time zone. */
export function AnalyticsPage() {
  const project = useProject();
  const search = route.useSearch();
  const { range = '7d', interval: wanted, compare = false, key, account, user, plan } = search;
  const { outcome } = search;
  const plans = usePlans(project.id).data ?? [];
  const picksKeys = [key, account, user, plan].some((filter) => filter !== undefined);
  const by = groupingFor(search, picksKeys);
  const navigate = route.useNavigate();
  const set = (part: Partial<AnalyticsSearch>) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace: true });

  const hour = Math.floor(useNow() / HOUR);
  const period = useMemo(() => periodOf(range, hour * HOUR), [range, hour]);
  const before = previousPeriod(period);
  const intervals = intervalsFor(period);
  const interval = intervals.find((one) => one === wanted) ?? intervals[0]!;

  const { queriesAccount, isShown } = useAccessKeyFilter(project, by);
  const view = { projectId: queriesAccount ? null : project.id, by, interval, period };
  const query = queryOf(search, view);
  const usage = useGroupedUsage(query);
  const earlier = useGroupedUsage(queryOf(search, { ...view, period: before }), {
    enabled: compare,
  });
  const byOutcome = by === 'outcome';
  const rows = (usage.data?.rows ?? []).filter(isShown);
  const oldRows = compare ? (earlier.data?.rows ?? []).filter(isShown) : null;
  const groups = groupsOf(rows, oldRows, byOutcome);
  const times = bucketStarts(period, interval, hour * HOUR);
  const costs = hasCosts(groups);
  const columns = useMemo(
    () => groupColumns(by, project.id, { compares: compare, costs }),
    [by, project.id, compare, costs],
  );
  const save = useAction(async () => {
    const name = fileName([project.name, 'by', by, interval, periodDays(period)], 'csv');
    await saveUsage(query, name, isShown).catch(toastFailure);
  });
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const cost = groups.reduce((sum, group) => sum + group.cost, 0);
  const error = usage.error ?? (compare ? earlier.error : null);

  return (
    <>
      <PageHeader
        title="Analytics"
        description={`Validations in ${project.name}. Times are in ${timeZone()}.`}
        actions={
          <Button icon={<Download />} busy={save.busy} onClick={() => save.run()}>
            Download CSV
          </Button>
        }
      />
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <RangePicker
          value={range}
          onChange={(next) => set({ range: next, interval: undefined })}
          months
        />
        <Select
          dense
          label="Group by"
          value={by}
          options={GROUPINGS.filter(({ value }) => !picksKeys || value !== 'accessKey')}
          onChange={(next) => set({ by: next })}
        />
        {intervals.length > 1 && (
          <Segmented
            label="Interval"
            value={interval}
            options={intervals.map((value) => ({ value, label: INTERVALS[value] }))}
            onChange={(next) => set({ interval: next })}
          />
        )}
        <div className="pb-1.5">
          <Checkbox
            label="Compare with previous period"
            checked={compare}
            onChange={(on) => set({ compare: on || undefined })}
          />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <KeyFilter projectId={project.id} keyId={key} onChange={(id) => set({ key: id })} />
        <CustomerFilter account={account} user={user} onChange={set} />
        {(plans.length > 0 || plan !== undefined) && (
          <FilterMenu
            label="Plan"
            chosen={plan}
            options={planOptions(plans, plan)}
            onChoose={(id) => set({ plan: id })}
            onRemove={() => set({ plan: undefined })}
          />
        )}
        <FilterMenu
          label="Outcome"
          chosen={outcome}
          options={OUTCOMES.map(({ id, label }) => ({ value: id, label }))}
          onChoose={(id) => set({ outcome: id })}
          onRemove={() => set({ outcome: undefined })}
        />
      </div>
      {error && <Failure error={error} title="Usage could not be loaded" onRetry={usage.refetch} />}
      {usage.data && !usage.data.isComplete && (
        <Notice tone="warn" title="Too many groups to show">
          {isSorted(by, outcome) ? 'These are the most used. ' : 'These are the first ones. '}
          Choose a longer interval or a shorter range, or download the CSV, which contains all of
          them.
        </Notice>
      )}
      {queriesAccount && (
        <Notice>The counts of account-level access keys include all projects.</Notice>
      )}
      <Card
        title={usage.data ? titleOf(total, costs ? cost : null) : 'Validations'}
        description={
          compare
            ? `${periodText(period)}, compared with ${periodText(before)}`
            : periodText(period)
        }
      >
        {usage.isPending ? (
          <Skeleton className="h-56 w-full" />
        ) : (
          <TimeSeriesChart
            label={`Validations by ${GROUPINGS.find(({ value }) => value === by)!.label}`}
            times={times}
            series={seriesOf(groups, times, byOutcome, groupName)}
            nameOf={(at) => bucketName(at, interval)}
            tickOf={(at) => bucketTick(at, interval, period)}
            reference={
              oldRows
                ? {
                    label: 'Previous period',
                    values: valuesAt(oldRows, bucketStarts(before, interval, hour * HOUR)),
                  }
                : undefined
            }
          />
        )}
      </Card>
      <DataTable
        label="Groups"
        columns={columns}
        rows={groups}
        rowKey={({ id }) => id ?? 'without'}
        isLoading={usage.isPending}
        onOpen={(group) => set(drillDown(by, group))}
        height="content"
        empty={
          <EmptyState icon={<ChartColumn />} title="No validations in this period">
            Validations are counted here within a second or two. Choose a longer range, or validate
            a key.
          </EmptyState>
        }
      />
      {!picksKeys && <UnrecognizedCard projectId={project.id} range={rangeOf(query)} />}
    </>
  );
}

const titleOf = (total: number, cost: number | null): string =>
  `${counted(total, 'validation')}${cost === null ? '' : `, cost ${wholeNumber(cost)}`}`;

/** Includes the chosen plan if it was deleted. */
const planOptions = (plans: readonly Plan[], chosen: string | undefined) => [
  ...plans.map(({ id, name }) => ({ value: id, label: name })),
  { value: 'null', label: 'None' },
  ...(chosen === undefined || chosen === 'null' || plans.some(({ id }) => id === chosen)
    ? []
    : [{ value: chosen, label: chosen }]),
];

/** Usage of access keys is not stored by key, so it cannot be filtered by keys. */
const groupingFor = ({ by = 'outcome' }: AnalyticsSearch, picksKeys: boolean): Grouping =>
  picksKeys && by === 'accessKey' ? 'outcome' : by;

/** The search after a click on a group: only this group, split into smaller groups. */
function drillDown(by: Grouping, { id }: Group): Partial<AnalyticsSearch> {
  switch (by) {
    case 'key':
      return { key: id ?? undefined, by: 'outcome' };
    case 'customAccountId':
      return { account: id ?? 'null', by: 'key' };
    case 'customUserId':
      return { user: id ?? 'null', by: 'key' };
    case 'plan':
      return { plan: id ?? 'null', by: 'customAccountId' };
    case 'outcome': {
      const outcome = OUTCOME_IDS.find((one) => one === id);
      const isOfNoKey = outcome === 'unknown' || outcome === 'malformed';
      return { outcome, by: isOfNoKey ? 'accessKey' : 'key' };
    }
    case 'accessKey':
    case 'resource':
      return {};
  }
}

/**
 * Account-level access keys belong to no project, and their counts are not stored by project. So the
 * query covers the whole account, and access keys of other projects are left out here. Users who
 * are limited to certain projects can query only those.
 */
function useAccessKeyFilter(project: Project, by: Grouping) {
  const accessKeys = useAccessKeys(project.id).data;
  const me = useMe().data?.accounts.find(({ accountId }) => accountId === project.accountId);
  const queriesAccount = by === 'accessKey' && me !== undefined && me.projectIds === null;
  const shown = useMemo(() => new Set(accessKeys?.map(({ id }) => id)), [accessKeys]);
  const isShown = ({ group }: UsageRow) => !queriesAccount || (group !== null && shown.has(group));
  return { queriesAccount, isShown };
}
