import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClass } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        icon={<Compass />}
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonClass('solid')}>
            Go to the overview
          </Link>
        }
      >
        It may have been removed, or it belongs to an account that you are not part of.
      </EmptyState>
    </>
  );
}
