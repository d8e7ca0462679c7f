import { createRouter } from '@tanstack/react-router';
import { PageSkeleton } from '../components/skeleton.tsx';
import { NotFound } from './not-found.tsx';
import { PageError } from './page-error.tsx';
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
