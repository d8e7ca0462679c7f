import { Outlet } from '@tanstack/react-router';
import { Announcer } from '../components/announcer.tsx';
import { Toasts } from '../components/toasts.tsx';
import { TooltipProvider } from '../components/tooltip.tsx';
import { useShortcutListener } from './shortcuts.ts';
import { useFocusOnNavigation } from './use-focus-on-navigation.ts';
import { useLostSession } from './use-lost-session.ts';

/** Around every page, signed in or not. */
export function Root() {
  useShortcutListener();
  useFocusOnNavigation();
  useLostSession();
  return (
    <TooltipProvider delayDuration={400}>
      <Outlet />
      <Toasts />
      <Announcer />
    </TooltipProvider>
  );
}
