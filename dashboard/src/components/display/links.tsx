import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface ResourceLinkProps {
  readonly projectId: string;
  /** Of a customer, the `customAccountId`. */
  readonly id: string;
  /** Replaces the look of a link in a text. */
  readonly className?: string;
  /** The id by default. */
  readonly children?: ReactNode;
}

const IN_TEXT = 'wrap-anywhere text-accent underline underline-offset-2';

export const KeyLink = ({
  projectId,
  id,
  className = IN_TEXT,
  children = id,
}: ResourceLinkProps) => (
  <Link to="/p/$projectId/keys/$keyId" params={{ projectId, keyId: id }} className={className}>
    {children}
  </Link>
);

export const CustomerLink = ({
  projectId,
  id,
  className = IN_TEXT,
  children = id,
}: ResourceLinkProps) => (
  <Link
    to="/p/$projectId/customers/$customerId"
    params={{ projectId, customerId: id }}
    className={className}
  >
    {children}
  </Link>
);

export const PlanLink = ({
  projectId,
  id,
  className = IN_TEXT,
  children = id,
}: ResourceLinkProps) => (
  <Link to="/p/$projectId/plans/$planId" params={{ projectId, planId: id }} className={className}>
    {children}
  </Link>
);

/** Opens its sheet over the list of access keys. */
export const AccessKeyLink = ({
  projectId,
  id,
  className = IN_TEXT,
  children = id,
}: ResourceLinkProps) => (
  <Link
    to="/p/$projectId/access-keys"
    params={{ projectId }}
    search={{ open: id }}
    className={className}
  >
    {children}
  </Link>
);
