import { lazyRouteComponent } from '@tanstack/react-router';
import { whenReachable } from '../../api/connection.ts';

/**
 * A page whose code is loaded when it is opened. If that fails because the connection is lost, it
 * waits and tries again. The router alone would reload the document, which ends in the browser's
 * error page.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch {
      await whenReachable();
      // Fails again if the file is gone: after an update, only a new document helps.
      return load();
    }
  }, name);
