import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { KeywardError } from 'keyward';
import { Compass } from 'lucide-react';
import { useEffect } from 'react';
import { buttonClass } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { Logo } from '../shell/logo.tsx';

/** Shown instead of a page that failed to render. */
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
        title={isOld ? 'Keyward has been updated' : 'This page could not be displayed'}
        onRetry={() => {
          // The files of an older build no longer exist. Only a reload helps.
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
      <PageHeader title="Page not found" />
      <EmptyState
        icon={<Compass />}
        title="This page does not exist"
        action={
          <Link to="/" className={buttonClass('solid')}>
            Go to overview
          </Link>
        }
      >
        It may have been deleted, or it belongs to an account that you are not a member of.
      </EmptyState>
    </>
  );
}

/** For a URL that matches no route, so it is not inside the shell. */
export const NotFoundDocument = () => (
  <div className="mx-auto flex min-h-dvh max-w-2xl flex-col gap-8 px-4 pt-[12vh] pb-12">
    <header>
      <Logo />
    </header>
    <main id="content" tabIndex={-1}>
      <NotFound />
    </main>
  </div>
);
