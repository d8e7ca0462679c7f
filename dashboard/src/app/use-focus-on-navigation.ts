import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { announce } from '../components/announcer.tsx';

/**
 * A new page without a new document: the focus goes to its heading, and its title is read out, as a
 * browser would. Not when only the search of the address changed: one is still filtering there.
 */
export function useFocusOnNavigation(): void {
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
