import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import type { Customer } from 'keyward';
import { useApiKeyCount } from '../../../api/api-keys.ts';
import { useCustomerTotal, useMonthTotals } from '../../../api/customers.ts';
import { useFindPlan } from '../../../api/plans.ts';
import { useProject } from '../../../app/current.ts';
import { DateTime } from '../../../components/display/date-time.tsx';
import type { Column } from '../../../components/tables/column.ts';
import { listedColumns } from '../../../fields/columns.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import { countOrMore, wholeNumber } from '../../../text/numbers.ts';
import { periodOf } from '../../../text/time/periods.ts';
import { timeZone } from '../../../text/time/time-zone.ts';

const none = <span className="text-faint">—</span>;

export const CUSTOMER_COLUMNS: readonly Column<Customer>[] = [
  {
    id: 'name',
    header: 'Customer',
    width: 'minmax(8rem, 2fr)',
    cell: ({ name, customAccountId }) => (
      <>
        <span className="block truncate font-medium">{name ?? customAccountId}</span>
        {name !== null && (
          <span className="block truncate text-muted text-xs leading-4">{customAccountId}</span>
        )}
      </>
    ),
  },
  {
    id: 'plan',
    header: 'Plan',
    width: 'minmax(6rem, 1fr)',
    optional: 1,
    cell: (customer) => <PlanCell customer={customer} />,
  },
  ...listedColumns(CUSTOMER, ['customAccountId', 'name', 'planId']),
  {
    id: 'usage',
    header: 'This month',
    width: '6rem',
    align: 'end',
    optional: 1,
    cell: (customer) => <UsageCell customer={customer} />,
  },
  {
    id: 'keys',
    header: 'Keys',
    width: '4rem',
    align: 'end',
    optional: 2,
    cell: (customer) => <KeysCell customer={customer} />,
  },
  {
    id: 'credits',
    header: 'Credits left',
    width: '6.5rem',
    align: 'end',
    cell: ({ credits }) => {
      if (!credits) return none;
      const text = wholeNumber(credits.remaining);
      return credits.remaining === 0 ? <span className="font-medium text-bad">{text}</span> : text;
    },
  },
  {
    id: 'created',
    header: 'Created',
    width: '7rem',
    align: 'end',
    optional: 3,
    cell: ({ createdAt }) => <DateTime at={createdAt} />,
  },
];

interface CellProps {
  readonly customer: Customer;
}

/** The plan of the customer, or the default of the project. */
function PlanCell({ customer }: CellProps) {
  const { id, defaultPlanId } = useProject();
  const find = useFindPlan(id);
  const plan = find(customer.planId ?? defaultPlanId);
  if (!plan) return none;
  return customer.planId === null ? (
    <span className="text-muted">{plan.name} (default)</span>
  ) : (
    plan.name
  );
}

/** One query returns the most active customers. Any other customer needs its own query. */
function UsageCell({ customer }: CellProps) {
  const { from } = periodOf('month', useNow());
  const range = [new Date(from).toISOString(), timeZone()] as const;
  const totals = useMonthTotals(customer.projectId, ...range).data;
  const total = totals?.byCustomer.get(customer.customAccountId);
  const isListed = total !== undefined || totals?.isComplete !== false;
  const own = useCustomerTotal(customer, ...range, { enabled: !isListed }).data;
  if (!totals) return none;
  return wholeNumber(total ?? own ?? 0);
}

function KeysCell({ customer: { projectId, customAccountId } }: CellProps) {
  const count = useApiKeyCount({ projectId, customAccountId }).data;
  return count ? countOrMore(count.count, !count.isExact) : none;
}
