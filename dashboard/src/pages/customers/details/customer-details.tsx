import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import type { Customer } from 'keyward';
import { useFindPlan } from '../../../api/plans.ts';
import { useProject } from '../../../app/current.ts';
import { CopyField } from '../../../components/buttons/copy-button.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { Fact, None } from '../../../components/display/fact.tsx';
import { PlanLink } from '../../../components/display/links.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { FieldFacts } from '../../../fields/columns.tsx';

/** In the title and in cards of their own. */
const SHOWN_ELSEWHERE = { name: null, limits: null, credits: null, customMetaData: null };

export function CustomerDetails({ customer }: { readonly customer: Customer }) {
  const { defaultPlanId } = useProject();
  const plan = useFindPlan(customer.projectId)(customer.planId ?? defaultPlanId);
  const permissions = customer.permissions.length > 0 ? customer.permissions : null;
  return (
    <Card title="Settings">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-3 xl:grid-cols-1">
        <FieldFacts
          fields={CUSTOMER}
          record={customer}
          own={{
            ...SHOWN_ELSEWHERE,
            customAccountId: (
              <Fact label="Customer ID" className="max-xl:col-span-full">
                <CopyField value={customer.customAccountId} label="Copy customer ID" />
              </Fact>
            ),
            planId: (
              <Fact label="Plan">
                {plan ? (
                  <>
                    <PlanLink {...plan}>{plan.name}</PlanLink>
                    {customer.planId === null && <None text=" (project default)" />}
                  </>
                ) : (
                  <None text="None" />
                )}
              </Fact>
            ),
            permissions: (
              <Fact label="Permissions">
                {permissions?.join(', ') ?? <None text={plan ? 'Those of the plan' : 'None'} />}
              </Fact>
            ),
            allowedIPs: (
              <Fact label="Allowed IP addresses">
                {customer.allowedIPs?.join(', ') ?? (
                  <None text={plan?.allowedIPs ? 'Those of the plan' : 'Any'} />
                )}
              </Fact>
            ),
          }}
        />
        <Fact label="ID" className="max-xl:col-span-full">
          <CopyField value={customer.id} label="Copy ID" />
        </Fact>
        <Fact label="Created">
          <DateTime at={customer.createdAt} form="exact" />
        </Fact>
        <Fact label="Updated">
          <DateTime at={customer.updatedAt} />
        </Fact>
      </dl>
    </Card>
  );
}
