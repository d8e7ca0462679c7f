import { getRouteApi } from '@tanstack/react-router';
import type { ApiKey, Customer } from 'keyward';
import { Contact, Plus } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import { useCustomers, useIdsWithoutCustomer } from '../../../api/customers.ts';
import { useShortcut } from '../../../app/browser/shortcuts.ts';
import { useProject } from '../../../app/current.ts';
import { lazyPart } from '../../../app/routing/lazy-page.ts';
import { CUSTOMER_FILTERS, type CustomersSearch } from '../../../app/routing/page-searches.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { CustomerLink } from '../../../components/display/links.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { DataTable } from '../../../components/tables/data-table.tsx';
import { FilterBar } from '../../../components/tables/filter-bar.tsx';
import { filterQuery, noFilters } from '../../../fields/filter-search.ts';
import { FieldFilters } from '../../../fields/filters.tsx';
import { useSearchText } from '../../../hooks/use-search-text.ts';
import { CUSTOMER_COLUMNS } from './customer-columns.tsx';

const route = getRouteApi('/shell/p/$projectId/customers');

const CreateCustomer = lazyPart(
  async () => (await import('../dialogs/customer-dialogs.tsx')).CreateCustomer,
);

const rowKey = ({ id }: Customer) => id;

export function CustomersPage() {
  const project = useProject();
  const { create: isCreating, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('customers:write');
  const customers = useCustomers({
    projectId: project.id,
    ...(search.q && { search: search.q }),
    ...filterQuery(CUSTOMER_FILTERS, search),
  });
  const change = useCallback(
    (part: CustomersSearch) =>
      void navigate({ search: (before) => ({ ...before, ...part }), replace: true }),
    [navigate],
  );
  const open = useCallback(
    ({ customAccountId }: Customer) =>
      void navigate({
        to: '/p/$projectId/customers/$customerId',
        params: { projectId: project.id, customerId: customAccountId },
      }),
    [navigate, project.id],
  );
  const create = () => change({ create: true });
  useShortcut('c', 'Create a customer', create, { enabled: mayWrite });
  const createButton = mayWrite && (
    <Button kind="solid" icon={<Plus />} onClick={create}>
      Create customer
    </Button>
  );
  const { rows, isLoading } = customers.table;
  const isFiltered = Object.values(search).some((filter) => filter !== undefined);
  const isEmpty = rows.length === 0 && !isLoading && !isFiltered;
  return (
    <>
      <PageHeader
        title="Customers"
        description="Settings, credits and usage of all keys with the same customer ID."
        actions={createButton}
      />
      <IdsWithoutCustomer />
      {!isEmpty && <CustomerFilters {...{ search, isFiltered, rows }} onChange={change} />}
      {customers.error ? (
        <Failure
          error={customers.error}
          title="The customers could not be loaded"
          onRetry={customers.refetch}
        />
      ) : (
        <DataTable
          {...customers.table}
          label="Customers"
          columns={CUSTOMER_COLUMNS}
          rowKey={rowKey}
          onOpen={open}
          scrollKey={JSON.stringify([project.id, search])}
          empty={isEmpty ? <NoCustomers action={createButton} /> : <NothingFound />}
        />
      )}
      {isCreating && mayWrite && (
        <CreateCustomer onClose={() => change({ create: undefined })} onCreated={open} />
      )}
    </>
  );
}

interface CustomerFiltersProps {
  readonly search: CustomersSearch;
  readonly isFiltered: boolean;
  readonly rows: readonly Customer[];
  onChange(part: CustomersSearch): void;
}

/** A customer is also found by the value of one of its keys. */
const customerOf = ({ customAccountId, id }: ApiKey): string => customAccountId ?? id;

const NO_FILTERS: CustomersSearch = { q: undefined, ...noFilters(CUSTOMER_FILTERS) };

function CustomerFilters({ search, isFiltered, rows, onChange }: CustomerFiltersProps) {
  const setUrlText = useCallback((text: string) => onChange({ q: text || undefined }), [onChange]);
  const [typed, setTyped] = useSearchText(search.q ?? '', setUrlText, customerOf);
  return (
    <FilterBar
      search={{ label: 'Search customers', value: typed, onChange: setTyped }}
      onClear={isFiltered ? () => onChange(NO_FILTERS) : undefined}
    >
      <FieldFilters filters={CUSTOMER_FILTERS} {...{ search, onChange }} seen={rows} />
    </FilterBar>
  );
}

/** Keys may have a customer id that has no settings yet. */
function IdsWithoutCustomer() {
  const project = useProject();
  const ids = useIdsWithoutCustomer(project.id).data ?? [];
  if (ids.length === 0) return null;
  return (
    <Notice title="Some keys have customer IDs that are not listed here">
      These IDs have no settings yet. Open one to see its usage, or to create the customer:{' '}
      {ids.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <CustomerLink projectId={project.id} id={id} />
        </span>
      ))}
    </Notice>
  );
}

function NoCustomers({ action }: { readonly action: ReactNode }) {
  const { id } = useProject();
  const body = { projectId: id, customAccountId: 'acme', name: 'Acme Inc.' };
  return (
    <EmptyState
      icon={<Contact />}
      title="No customers yet"
      action={action}
      example={{
        label: 'Create a customer with curl',
        code: `curl -s ${location.origin}/customers \\\n  -H 'x-api-key: <ACCESS_KEY>' \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`,
      }}
    >
      A customer gives a plan, limits and credits to all keys with the same customer ID. Create one
      for each of your customers, before or after their keys.
    </EmptyState>
  );
}

const NothingFound = () => (
  <EmptyState title="No matching customers">
    Search matches the customer ID, the name and the email address. Clear a filter to see more
    customers.
  </EmptyState>
);
