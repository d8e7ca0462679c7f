import { Link } from '@tanstack/react-router';
import type { Plan } from '../../api/records.ts';

const LINK = 'break-words text-accent underline underline-offset-2';

export const PlanLink = ({ plan: { id, projectId, name } }: { readonly plan: Plan }) => (
  <Link to="/p/$projectId/plans/$planId" params={{ projectId, planId: id }} className={LINK}>
    {name}
  </Link>
);

interface CustomerLinkProps {
  readonly projectId: string;
  /** The `customAccountId`. */
  readonly customerId: string;
}

export const CustomerLink = ({ projectId, customerId }: CustomerLinkProps) => (
  <Link
    to="/p/$projectId/customers/$customerId"
    params={{ projectId, customerId }}
    className={LINK}
  >
    {customerId}
  </Link>
);
