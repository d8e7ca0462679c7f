import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { KeywardError } from 'keyward';
import { useEffect } from 'react';
import { Failure } from '../components/failure.tsx';
import { PageHeader } from '../components/page-header.tsx';

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
