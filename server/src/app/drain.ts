import type { Server } from 'node:http';

/** Time kept for the steps after the drain, above all the last flush of usage counts. */
export const FLUSH_MS = 3_000;
const CHECK_EVERY_MS = 50;

/**
 * Accepts no new connections, completes the requests in progress, and closes idle connections. Of the time that
 * is left, three seconds are kept for the last flush: connections that are still busy then are closed.
 */
export async function drain(server: Server, msLeft: number): Promise<void> {
  // The event loop has just accepted all connections that were waiting. The kernel resets those that it
  // establishes between this and the close.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => {
    // A connection becomes idle after its response, if that began before the server was told to close
    // connections. It would otherwise stay open for the next request.
    const checking = setInterval(() => server.closeIdleConnections(), CHECK_EVERY_MS);
    server.close(() => {
      clearInterval(checking);
      resolve();
    });
    setTimeout(() => server.closeAllConnections(), Math.max(0, msLeft - FLUSH_MS)).unref();
  });
}
