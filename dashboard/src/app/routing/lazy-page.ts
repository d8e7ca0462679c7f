import { lazyRouteComponent } from '@tanstack/react-router';
import { whenReachable } from '../../api/connection.ts';

/**
 * A page whose code is loaded when it opens. If loading fails because the connection is lost, it
 * waits and retries. The router alone would reload the document, and the browser would show its
 * error page.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch {
      await whenReachable();
      // Fails again if the file no longer exists. After an update, only a reload helps.
      return load();
    }
  }, name);
