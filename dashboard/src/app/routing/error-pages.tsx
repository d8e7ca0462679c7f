import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { KeywardError } from 'keyward';
import { Compass } from 'lucide-react';
import { useEffect } from 'react';
import { buttonClass } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';

/** A page that could not be shown: what happened, and what to do. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isOld = /dynamically imported module|module script/i.test(String(error));
  useEffect(() => {
    if (!(error instanceof KeywardError)) console.error(error);
  }, [error]);
  return (
    <div className="flex flex-col gap-6">
      <PageHeader title="Something went wrong" />
      <Failure
        error={error}
        title={isOld ? 'Keyward has been updated' : 'This page could not be shown'}
        onRetry={() => {
          // Files of an older build are gone: only a new document helps.
          if (!(error instanceof KeywardError)) return location.reload();
          reset();
          void router.invalidate();
        }}
      />
    </div>
  );
}

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
