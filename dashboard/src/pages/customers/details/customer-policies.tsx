import { mergedLimits } from '@keyward/rules/limit-levels.ts';
import type { ApiKey, Customer } from 'keyward';
import { useExplanation } from '../../../api/api-keys.ts';
import { useFindPlan } from '../../../api/plans.ts';
import { useProject } from '../../../app/current.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { PlanLink } from '../../../components/display/links.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { planCreditsText } from '../../../text/limits/credits.ts';
import { CreditsLeft } from '../../policies/credits-left.tsx';
import { LimitList, type ShownLimit } from '../../policies/limit-list.tsx';

interface CustomerPoliciesProps {
  /** Null if there are only keys with this id. */
  readonly customer: Customer | null;
  readonly keys: readonly ApiKey[];
  onChangeCredits(): void;
}

/** The limits and credits that the keys of a customer share, and what is left of them now. */
export function CustomerPolicies({ customer, keys, onChangeCredits }: CustomerPoliciesProps) {
  const project = useProject();
  const mayCredit = useMay('credits:write');
  const plan = useFindPlan(project.id)(customer?.planId ?? project.defaultPlanId);
  // Keys with the plan of the customer share all these counters, other keys only those of the customer itself.
  const hasPlan = ({ planId }: ApiKey) => planId === null || planId === plan?.id;
  const key =
    keys.find((each) => each.isActive && hasPlan(each)) ??
    keys.find(hasPlan) ??
    keys.find(({ isActive }) => isActive) ??
    keys[0];
  const levels = key && hasPlan(key) ? ['customer', 'plan'] : ['customer'];
  const explanation = useExplanation(key?.id ?? '', { enabled: key !== undefined }).data;
  const merged = mergedLimits([
    { level: 'plan', limits: plan?.limits ?? [] },
    { level: 'customer', limits: customer?.limits ?? [] },
  ] as const);
  const limits = Array.from(merged.values(), ({ limit: own, level: setAt }): ShownLimit => {
    const limit = { ...own, level: setAt };
    const counted = explanation?.limits.find(
      ({ name, level, per }) => name === limit.name && levels.includes(level) && per === 'customer',
    );
    return counted ? { ...limit, remaining: counted.remaining, resetAt: counted.resetAt } : limit;
  });
  // The plan may have opened a pool for a customer that has no settings.
  const ofKey = explanation?.credits;
  const credits = customer?.credits ?? (ofKey && ofKey.level === 'customer' ? ofKey : null);
  return (
    <Card
      title="Limits and credits"
      description="For all keys of this customer. Set on the customer or its plan."
      actions={
        customer &&
        mayCredit && (
          <Button size="sm" onClick={onChangeCredits}>
            {customer.credits ? 'Change credits…' : 'Add credits…'}
          </Button>
        )
      }
    >
      <div className="grid gap-x-10 gap-y-6 md:grid-cols-2">
        <section aria-label="Credits">
          {credits ? (
            <CreditsLeft credits={credits} />
          ) : plan?.credits ? (
            <>
              <p className="font-medium">{planCreditsText(plan.credits)}</p>
              <p className="text-muted text-sm">
                The plan <PlanLink {...plan}>{plan.name}</PlanLink> gives them with the first
                request.
              </p>
            </>
          ) : (
            <p className="text-muted">No credits: requests of this customer are not prepaid.</p>
          )}
        </section>
        {limits.length === 0 ? (
          <p className="text-muted">
            No limits, apart from those set on single keys. Choose a plan, or add a limit in the
            settings.
          </p>
        ) : (
          <LimitList
            label="Limits"
            limits={limits}
            levelText={(level) =>
              level === 'plan' && plan ? (
                <>
                  Plan <PlanLink {...plan}>{plan.name}</PlanLink>
                </>
              ) : (
                'Customer'
              )
            }
          />
        )}
      </div>
    </Card>
  );
}
