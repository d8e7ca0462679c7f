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
  // The usual half second: a page that is there would wait behind its own skeleton.
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

/**
 * The code of the page and what every page stands on are asked for at once, before anything is
 * drawn: one after the other they were most of the time until a page could be used.
 */
export function headStart({ latestLocation, matchRoutes, routesById }: AnyRouter): void {
  const places = matchRoutes(latestLocation).map(({ routeId }) => routeId);
  for (const id of places) void routesById[id].options.component?.preload?.();
  if (!places.includes('/shell')) return;
  void queryClient.prefetchQuery(workspaceQuery);
  void queryClient.prefetchQuery(meQuery);
}
