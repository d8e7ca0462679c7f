import type { ApiKey } from 'keyward';
import { useState } from 'react';
import { useEffectiveKey, useExplanation } from '../../../api/api-keys.ts';
import { changeCustomerCredits, changeKeyCredits, useCustomer } from '../../../api/customers.ts';
import { useFindPlan } from '../../../api/plans.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { CustomerLink, PlanLink } from '../../../components/display/links.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { Skeleton } from '../../../components/feedback/loading.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import type { Level } from '../../../text/limits/levels.ts';
import { CreditsLeft } from '../../policies/credits-left.tsx';
import { CreditsDialog } from '../../policies/lazy-credits-dialog.ts';
import { LimitList } from '../../policies/limit-list.tsx';

/** Every limit of a key with its level and what is left now, and its credits. */
export function KeyPolicies({ apiKey }: { readonly apiKey: ApiKey }) {
  const { data, error, refetch } = useExplanation(apiKey.id);
  const [isChanging, setChanging] = useState(false);
  const mayCredit = useMay('credits:write');
  const levelText = (level: Level) => <LevelText apiKey={apiKey} level={level} />;
  const hasNone = data && data.limits.length === 0 && data.credits === null;
  return (
    <Card
      title="Limits and credits"
      description="Where each is set, and what is left now"
      actions={
        mayCredit &&
        data && (
          <Button size="sm" onClick={() => setChanging(true)}>
            {data.credits ? 'Change credits…' : 'Add credits…'}
          </Button>
        )
      }
    >
      {data ? (
        <div className="grid gap-x-10 gap-y-6 md:grid-cols-2">
          {hasNone && (
            <p className="text-muted md:col-span-2">
              None. Requests with this key are neither limited nor prepaid.
            </p>
          )}
          {data.credits && (
            <section aria-label="Credits">
              <CreditsLeft credits={data.credits} owner={levelText(data.credits.level)} />
            </section>
          )}
          {data.limits.length > 0 && (
            <LimitList label="Limits" limits={data.limits} levelText={levelText} />
          )}
        </div>
      ) : error ? (
        <Failure error={error} title="The limits could not be loaded" onRetry={refetch} />
      ) : (
        <Skeleton className="h-24 w-full" />
      )}
      {isChanging && data && (
        <ChangeCredits
          apiKey={apiKey}
          explained={data.credits}
          onClose={() => setChanging(false)}
        />
      )}
    </Card>
  );
}

interface ChangeCreditsProps {
  readonly apiKey: ApiKey;
  readonly explained: NonNullable<ReturnType<typeof useExplanation>['data']>['credits'];
  onClose(): void;
}

/** Changes the pool that pays for the key: the pool of its customer, or its own. */
function ChangeCredits({ apiKey, explained, onClose }: ChangeCreditsProps) {
  const { projectId, customAccountId } = apiKey;
  const isOfCustomer = customAccountId !== null && explained !== null && explained.level !== 'key';
  const customer = useCustomer(projectId, customAccountId ?? '', { enabled: isOfCustomer });
  if (isOfCustomer && customer.isPending) return null;
  if (isOfCustomer && !customer.data)
    return (
      <Dialog open onClose={onClose} title="Change credits" size="md">
        {customer.error ? (
          <Failure error={customer.error} title="The customer could not be loaded" />
        ) : (
          <p>
            The credits belong to the customer{' '}
            <CustomerLink projectId={projectId} id={customAccountId} />, which has no record yet.
            Open its page and create it, then change its credits there.
          </p>
        )}
      </Dialog>
    );
  return customer.data && isOfCustomer ? (
    <CreditsDialog
      name={customer.data.name ?? customer.data.customAccountId}
      credits={explained}
      change={(body, idempotencyKey) =>
        changeCustomerCredits(customer.data!.id, body, idempotencyKey)
      }
      onClose={onClose}
    />
  ) : (
    <CreditsDialog
      name={apiKey.name}
      credits={apiKey.credits}
      change={(body, idempotencyKey) => changeKeyCredits(apiKey.id, body, idempotencyKey)}
      onClose={onClose}
    />
  );
}

/** Where a setting of a key is made. */
export function LevelText({ apiKey, level }: { readonly apiKey: ApiKey; readonly level: Level }) {
  const effective = useEffectiveKey(apiKey.id).data?.effective;
  const plan = useFindPlan(apiKey.projectId)(effective?.planId ?? null);
  if (level === 'key') return 'This key';
  if (level === 'customer')
    return apiKey.customAccountId === null ? (
      'Customer'
    ) : (
      <>
        Customer <CustomerLink projectId={apiKey.projectId} id={apiKey.customAccountId} />
      </>
    );
  if (!plan) return 'Plan';
  return (
    <>
      Plan <PlanLink {...plan}>{plan.name}</PlanLink>
      {effective?.levels.planId === 'project' && ' (project default)'}
    </>
  );
}
