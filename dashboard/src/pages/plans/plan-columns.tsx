import { PLAN } from '@keyward/rules/resources/plan.ts';
import type { Plan, PlanCredits } from 'keyward';
import { usePlanUses } from '../../api/plans.ts';
import { Badge } from '../../components/display/badge.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import type { Column } from '../../components/tables/column.ts';
import { listedColumns } from '../../fields/columns.tsx';
import { limitText } from '../../text/limits/limits.ts';
import { countOrMore, wholeNumber } from '../../text/numbers.ts';

const none = <span className="text-faint">—</span>;

export const planColumns = (defaultPlanId: string | null): readonly Column<Plan>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(8rem, 1.2fr)',
    cell: ({ id, name }) => (
      <span className="flex items-center gap-2">
        <span className="truncate font-medium">{name}</span>
        {id === defaultPlanId && <Badge tone="accent">Default</Badge>}
      </span>
    ),
  },
  {
    id: 'limits',
    header: 'Limits',
    width: 'minmax(12rem, 2fr)',
    optional: 2,
    cell: ({ limits }) =>
      limits.length === 0 ? none : limits.map((limit) => limitText(limit)).join(', '),
  },
  {
    id: 'credits',
    header: 'Credits',
    width: 'minmax(8rem, 1fr)',
    optional: 3,
    cell: ({ credits }) => (credits ? shortCredits(credits) : none),
  },
  ...listedColumns(PLAN, ['name', 'permissions']),
  {
    id: 'customers',
    header: 'Customers',
    width: '5.5rem',
    align: 'end',
    optional: 1,
    cell: (plan) => <Uses plan={plan} of="customers" />,
  },
  {
    id: 'keys',
    header: 'Keys',
    width: '4.5rem',
    align: 'end',
    optional: 1,
    cell: (plan) => <Uses plan={plan} of="keys" />,
  },
  {
    id: 'updated',
    header: 'Updated',
    width: '7rem',
    align: 'end',
    optional: 4,
    cell: ({ updatedAt }) => <DateTime at={updatedAt} />,
  },
];

/** `5,000 per month`, for the column. */
const shortCredits = ({ amount, interval }: PlanCredits): string =>
  `${wholeNumber(amount)} ${interval === null ? 'once' : `per ${interval}`}`;

function Uses({ plan, of }: { readonly plan: Plan; readonly of: 'keys' | 'customers' }) {
  const uses = usePlanUses(plan).data;
  if (!uses) return none;
  return of === 'keys'
    ? countOrMore(uses.keys, uses.hasMoreKeys)
    : countOrMore(uses.customers, uses.hasMoreCustomers);
}
