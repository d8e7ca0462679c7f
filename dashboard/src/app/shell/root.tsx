import { Outlet, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { Announcer, announce } from '../../components/feedback/announcer.tsx';
import { Toasts } from '../../components/feedback/toasts.tsx';
import { TooltipProvider } from '../../components/overlays/tooltip.tsx';
import { useShortcutListener } from '../browser/shortcuts.ts';
import { useLostSession } from '../session/session.ts';
import { ConnectionBanner } from './connection-banner.tsx';

const SignInDialog = lazy(() => import('../../pages/login/sign-in-dialog.tsx'));

/** Layout of every page, signed in or not. */
export function Root() {
  useShortcutListener();
  useFocusOnNavigation();
  const lostSession = useLostSession();
  return (
    <TooltipProvider delayDuration={400}>
      <Outlet />
      {lostSession && (
        <Suspense>
          <SignInDialog {...lostSession} />
        </Suspense>
      )}
      <ConnectionBanner />
      <Toasts />
      <Announcer />
    </TooltipProvider>
  );
}

/**
 * Moves the focus to the heading of a new page and announces its title, as a browser does for a new
 * document. Not when only query parameters change, because the user is filtering.
 */
function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        const heading = document.querySelector<HTMLElement>('[data-page-title]');
        (heading ?? document.getElementById('content'))?.focus({ preventScroll: true });
        announce(document.title);
      }),
    [router],
  );
}
