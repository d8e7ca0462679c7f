import { PLAN } from '@keyward/rules/resources/plan.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { KeywardError, type Plan } from 'keyward';
import { useState } from 'react';
import { usePlan, usePlanUses } from '../../api/plans.ts';
import { useProject } from '../../app/current.ts';
import { buttonClass } from '../../components/buttons/button.tsx';
import { CopyField } from '../../components/buttons/copy-button.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { Fact } from '../../components/display/fact.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { PageSkeleton } from '../../components/feedback/loading.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { FieldFacts } from '../../fields/columns.tsx';
import { countOrMore } from '../../text/numbers.ts';
import { UsageCard } from '../analytics/lazy-usage-card.tsx';
import { HistoryCard } from '../audit-log/history-card.tsx';
import { LimitPreview } from '../policies/limit-preview.tsx';
import { PlanTerms } from '../policies/plan-terms.tsx';
import { PlanActions, type PlanDialogName, PlanDialogs } from './plan-actions.tsx';

const route = getRouteApi('/shell/p/$projectId/plans/$planId');

export function PlanPage() {
  const { planId } = route.useParams();
  const { range } = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  const { data: plan, error, refetch } = usePlan(planId);
  const [open, setOpen] = useState<PlanDialogName | null>(null);
  const isGone = error instanceof KeywardError && error.statusCode === 404;
  if (isGone || (plan && plan.projectId !== project.id)) return <PlanNotFound />;
  if (!plan)
    return error ? (
      <>
        <PageHeader title="Plan" above={<PlansLink />} />
        <Failure error={error} title="The plan could not be loaded" onRetry={refetch} />
      </>
    ) : (
      <PageSkeleton />
    );
  const isDefault = project.defaultPlanId === plan.id;
  return (
    <>
      <PageHeader
        title={plan.name}
        above={<PlansLink />}
        actions={<PlanActions isDefault={isDefault} onOpen={setOpen} />}
      />
      {isDefault && (
        <Notice tone="accent" title={`Default plan of ${project.name}`}>
          A key uses it if neither the key nor its customer has a plan.
        </Notice>
      )}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <Card
            title="Settings of a key on this plan"
            description="Unless its customer or the key itself sets something else."
          >
            <PlanTerms {...plan} />
          </Card>
          {(plan.limits.length > 0 || plan.credits !== null) && (
            <Card
              title="What would have happened"
              description="What these limits and credits would have refused in the last 48 hours, including limits in shadow mode"
            >
              <LimitPreview
                body={{ planId: plan.id, limits: plan.limits, credits: plan.credits }}
                what="keys on this plan"
              />
            </Card>
          )}
          <UsageCard
            filter={{ projectId: project.id, planId: plan.id }}
            what="keys on this plan"
            range={range}
            onRange={(chosen) => void navigate({ search: { range: chosen }, replace: true })}
          />
          <HistoryCard targetId={plan.id} what="this plan" />
        </div>
        <PlanFacts plan={plan} />
      </div>
      {open && <PlanDialogs open={open} plan={plan} onClose={() => setOpen(null)} />}
    </>
  );
}

function PlansLink() {
  const { id } = useProject();
  return (
    <Link to="/p/$projectId/plans" params={{ projectId: id }}>
      Plans
    </Link>
  );
}

/** In the title and in the card of the settings. */
const SHOWN_ELSEWHERE = {
  name: null,
  permissions: null,
  limits: null,
  allowedIPs: null,
  credits: null,
};

function PlanFacts({ plan }: { readonly plan: Plan }) {
  const uses = usePlanUses(plan).data;
  const params = { projectId: plan.projectId };
  const link = 'text-accent underline-offset-2 hover:underline';
  return (
    <Card title="Details">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-3 xl:grid-cols-1">
        <Fact label="ID" className="max-xl:col-span-full">
          <CopyField value={plan.id} label="Copy ID" />
        </Fact>
        <FieldFacts fields={PLAN} record={plan} own={SHOWN_ELSEWHERE} />
        <Fact label="Customers with this plan">
          <Link
            to="/p/$projectId/customers"
            params={params}
            search={{ plan: plan.id }}
            className={link}
          >
            {uses ? countOrMore(uses.customers, uses.hasMoreCustomers) : '…'}
          </Link>
        </Fact>
        <Fact label="Keys assigned to this plan directly">
          <Link to="/p/$projectId/keys" params={params} search={{ plan: plan.id }} className={link}>
            {uses ? countOrMore(uses.keys, uses.hasMoreKeys) : '…'}
          </Link>
        </Fact>
        <Fact label="Usage by customer">
          <Link
            to="/p/$projectId/analytics"
            params={params}
            search={{ plan: plan.id, by: 'customAccountId' }}
            className={link}
          >
            View in analytics
          </Link>
        </Fact>
        <Fact label="Created">
          <DateTime at={plan.createdAt} form="exact" />
        </Fact>
        <Fact label="Updated">
          <DateTime at={plan.updatedAt} />
        </Fact>
      </dl>
    </Card>
  );
}

function PlanNotFound() {
  const { id, name } = useProject();
  return (
    <>
      <PageHeader title="Plan not found" />
      <EmptyState
        title={`This plan is not in ${name}`}
        action={
          <Link
            to="/p/$projectId/plans"
            params={{ projectId: id }}
            className={buttonClass('solid')}
          >
            View all plans
          </Link>
        }
      >
        It may have been deleted, or it belongs to another project. The audit log keeps its history.
      </EmptyState>
    </>
  );
}
