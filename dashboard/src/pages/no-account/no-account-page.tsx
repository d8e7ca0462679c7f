import { UserRound } from 'lucide-react';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';

/** For a user who has left, or was removed from, their last account. */
export function NoAccountPage() {
  return (
    <>
      <PageHeader title="Welcome" />
      <EmptyState icon={<UserRound />} title="You are not a member of any account">
        Ask an owner or admin of an account to invite you.
      </EmptyState>
    </>
  );
}
