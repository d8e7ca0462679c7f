import { useApiKeyTotals } from '../../api/usage.ts';
import { useProject } from '../../app/current.ts';
import { BarChart } from '../../components/charts/bar-chart.tsx';
import { KeyLink } from '../../components/display/links.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { Card } from '../../components/layout/card.tsx';
import { asPercent } from '../../text/numbers.ts';
import type { Period } from '../../text/time/periods.ts';

const SHOWN = 6;

export function TopKeys({ period }: { readonly period: Period }) {
  const { id: projectId } = useProject();
  const totals = useApiKeyTotals({
    projectId,
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    sort: 'total',
    limit: SHOWN,
  });
  const used = totals.data?.filter(({ total }) => total > 0) ?? [];
  return (
    <Card title="Most used keys">
      {totals.isPending && <Skeleton className="h-40 w-full" />}
      {totals.isError && <Failure error={totals.error} onRetry={() => totals.refetch()} />}
      {totals.data && used.length === 0 && (
        <p className="text-muted">No keys were used in this period.</p>
      )}
      <BarChart
        label="Most used keys"
        rows={used.map(({ id, name, total, rateLimited }) => ({
          id,
          name: (
            <KeyLink projectId={projectId} id={id} className="hover:underline">
              {name}
            </KeyLink>
          ),
          value: total,
          ...(rateLimited > 0 && { detail: `${asPercent(rateLimited / total)} rate limited` }),
        }))}
      />
    </Card>
  );
}
