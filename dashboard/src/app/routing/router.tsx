import { type AnyRouter, createRouter } from '@tanstack/react-router';
import { meQuery } from '../../api/me.ts';
import { queryClient } from '../../api/query-client.ts';
import { workspaceQuery } from '../../api/workspace.ts';
import { PageSkeleton } from '../../components/feedback/loading.tsx';
import { NotFound, PageError } from './error-pages.tsx';
import { routeTree } from './routes.tsx';

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  // The query cache decides what is fresh.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 150,
  // The default is 500 ms, which would keep the skeleton on screen after the page has loaded.
  defaultPendingMinMs: 0,
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const PREFETCH_AFTER_MS = 3_000;

/**
 * Requests the code of the current page and the data that every page needs before the first render:
 * loading them one after the other took most of the time until a page was usable. Later it loads
 * the other pages, so that they open immediately and without a connection.
 */
export function preload({ latestLocation, matchRoutes, routesById }: AnyRouter): void {
  const current = matchRoutes(latestLocation).map(({ routeId }) => routeId);
  const loadPage = (id: string) => void routesById[id].options.component?.preload?.();
  current.forEach(loadPage);
  if (!current.includes('/shell')) return;
  void queryClient.prefetchQuery(workspaceQuery);
  void queryClient.prefetchQuery(meQuery);
  setTimeout(() => Object.keys(routesById).forEach(loadPage), PREFETCH_AFTER_MS);
}
