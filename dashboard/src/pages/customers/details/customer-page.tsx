import { getRouteApi, Link } from '@tanstack/react-router';
import { UserRoundPlus } from 'lucide-react';
import { useState } from 'react';
import { useApiKeys } from '../../../api/api-keys.ts';
import { useCustomer } from '../../../api/customers.ts';
import { useProject } from '../../../app/current.ts';
import { lazyPart } from '../../../app/routing/lazy-page.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { CodeBlock } from '../../../components/display/code-block.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { PageSkeleton } from '../../../components/feedback/loading.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { formatJson } from '../../../text/check-json.ts';
import { UsageCard } from '../../analytics/lazy-usage-card.tsx';
import { HistoryCard } from '../../audit-log/history-card.tsx';
import { ShadowPreview } from '../../policies/shadow-preview.tsx';
import { RecentRefusals } from '../../refusals/recent-refusals.tsx';
import { CustomerActions, type CustomerDialogName, CustomerDialogs } from './customer-actions.tsx';
import { CustomerDetails } from './customer-details.tsx';
import { CustomerKeys } from './customer-keys.tsx';
import { CustomerPolicies } from './customer-policies.tsx';
import { OpenPortal } from './open-portal.tsx';

const route = getRouteApi('/shell/p/$projectId/customers/$customerId');

const CreateCustomer = lazyPart(
  async () => (await import('../dialogs/customer-dialogs.tsx')).CreateCustomer,
);

/** A customer by its id in your system, with or without settings. */
export function CustomerPage() {
  const { customerId } = route.useParams();
  const { range } = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  const { data: customer, error, refetch } = useCustomer(project.id, customerId);
  const keys = useApiKeys({ projectId: project.id, customAccountId: customerId });
  const [open, setOpen] = useState<CustomerDialogName | null>(null);
  if (customer === undefined)
    return error ? (
      <>
        <PageHeader title="Customer" above={<CustomersLink />} />
        <Failure error={error} title="The customer could not be loaded" onRetry={refetch} />
      </>
    ) : (
      <PageSkeleton />
    );
  return (
    <>
      <PageHeader
        title={customer?.name ?? customerId}
        above={<CustomersLink />}
        actions={
          <>
            <OpenPortal customerId={customerId} />
            {customer && <CustomerActions customer={customer} onOpen={setOpen} />}
          </>
        }
      />
      {customer === null && <NoSettings customerId={customerId} />}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <CustomerPolicies
            customer={customer}
            keys={keys.table.rows}
            onChangeCredits={() => setOpen('credits')}
          />
          <ShadowPreview
            limits={customer?.limits}
            of={{ projectId: project.id, customAccountId: customerId }}
            what="this customer"
          />
          <UsageCard
            filter={{ projectId: project.id, customAccountId: customerId }}
            what="this customer"
            range={range}
            onRange={(chosen) => void navigate({ search: { range: chosen }, replace: true })}
          />
          <CustomerKeys customerId={customerId} keys={keys} />
          <RecentRefusals
            filters={{ projectId: project.id, customAccountId: customerId }}
            keys={keys.table.rows}
          />
          {customer && <HistoryCard targetId={customer.id} what="this customer and its credits" />}
        </div>
        {customer && (
          <div className="flex min-w-0 flex-col gap-6">
            <CustomerDetails customer={customer} />
            {Object.keys(customer.customMetaData).length > 0 && (
              <Card title="Metadata">
                <CodeBlock label="customMetaData" code={formatJson(customer.customMetaData)} />
              </Card>
            )}
          </div>
        )}
      </div>
      {open && customer && (
        <CustomerDialogs open={open} customer={customer} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

function CustomersLink() {
  const { id } = useProject();
  return (
    <Link to="/p/$projectId/customers" params={{ projectId: id }}>
      Customers
    </Link>
  );
}

function NoSettings({ customerId }: { readonly customerId: string }) {
  const mayWrite = useMay('customers:write');
  const [isCreating, setCreating] = useState(false);
  const close = () => setCreating(false);
  return (
    <>
      <Notice
        title="This customer has no settings yet"
        action={
          mayWrite && (
            <Button icon={<UserRoundPlus />} onClick={() => setCreating(true)}>
              Create customer
            </Button>
          )
        }
      >
        {customerId} is known only from its keys. Create the customer to give all its keys a plan,
        limits or credits.
      </Notice>
      {isCreating && (
        <CreateCustomer customAccountId={customerId} onClose={close} onCreated={close} />
      )}
    </>
  );
}
