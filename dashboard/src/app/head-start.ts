import type { AnyRouter } from '@tanstack/react-router';
import { meQuery } from '../api/me.ts';
import { queryClient } from '../api/query-client.ts';
import { workspaceQuery } from '../api/workspace.ts';

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
