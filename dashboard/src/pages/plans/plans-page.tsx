import { getRouteApi } from '@tanstack/react-router';
import type { Plan } from 'keyward';
import { Layers, Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { usePlans } from '../../api/plans.ts';
import { useShortcut } from '../../app/browser/shortcuts.ts';
import { useProject } from '../../app/current.ts';
import { lazyPart } from '../../app/routing/lazy-page.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { planColumns } from './plan-columns.tsx';

const route = getRouteApi('/shell/p/$projectId/plans');

const CreatePlanDialog = lazyPart(async () => (await import('./plan-dialog.tsx')).CreatePlanDialog);

export function PlansPage() {
  const project = useProject();
  const { create: isCreating } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('plans:write');
  const plans = usePlans(project.id);
  const columns = useMemo(() => planColumns(project.defaultPlanId), [project.defaultPlanId]);
  const setCreating = (create: true | undefined) =>
    void navigate({ search: { create }, replace: true });
  const open = ({ id }: Plan) =>
    void navigate({
      to: '/p/$projectId/plans/$planId',
      params: { projectId: project.id, planId: id },
    });
  useShortcut('c', 'Create a plan', () => setCreating(true), { enabled: mayWrite });
  const createButton = mayWrite && (
    <Button kind="solid" icon={<Plus />} onClick={() => setCreating(true)}>
      Create plan
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Plans"
        description="Limits, credits and permissions that many keys share."
        actions={createButton}
      />
      {plans.isError ? (
        <Failure
          error={plans.error}
          title="The plans could not be loaded"
          onRetry={plans.refetch}
        />
      ) : (
        <DataTable
          label="Plans"
          columns={columns}
          rows={plans.data ?? []}
          rowKey={({ id }) => id}
          isLoading={plans.isPending}
          onOpen={open}
          empty={<NoPlans action={createButton} />}
        />
      )}
      {isCreating && mayWrite && (
        <CreatePlanDialog onClose={() => setCreating(undefined)} onCreated={open} />
      )}
    </>
  );
}

function NoPlans({ action }: { readonly action: ReactNode }) {
  const { id } = useProject();
  const body = {
    projectId: id,
    name: 'Pro',
    limits: [{ name: 'month', rateLimit: 100_000, rateLimitTtl: 2_592_000, per: 'customer' }],
  };
  return (
    <EmptyState
      icon={<Layers />}
      title="No plans yet"
      action={action}
      example={{
        label: 'Create a plan with curl',
        code: `curl -s ${location.origin}/plans \\\n  -H 'x-api-key: <ACCESS_KEY>' \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`,
      }}
    >
      A plan is what you sell: a number of requests per second and per month, prepaid credits, and
      what its keys may do. Choose it for a key, for a customer with all its keys, or as the default
      of the project.
    </EmptyState>
  );
}
