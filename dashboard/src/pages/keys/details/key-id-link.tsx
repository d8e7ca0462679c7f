import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface KeyIdLinkProps {
  readonly projectId: string;
  readonly keyId: string;
  /** The id by default. */
  readonly children?: ReactNode;
}

export const KeyIdLink = ({ projectId, keyId, children }: KeyIdLinkProps) => (
  <Link
    to="/p/$projectId/keys/$keyId"
    params={{ projectId, keyId }}
    className="break-all text-accent underline underline-offset-2"
  >
    {children ?? keyId}
  </Link>
);
