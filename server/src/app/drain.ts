import type { Server } from 'node:http';

const TIMEOUT_MS = 6_000;
const CHECK_EVERY_MS = 50;

/**
 * Accepts no new connections, completes the requests in progress, and closes each connection after its
 * response. Connections that are still busy after six seconds are closed, to leave time for the last
 * flush.
 */
export function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.prependListener('request', (_request, response) => {
      if (!response.headersSent) response.shouldKeepAlive = false;
    });
    // A busy connection becomes idle after its response, and would otherwise stay open for the next
    // request.
    const timer = setInterval(() => server.closeIdleConnections(), CHECK_EVERY_MS);
    server.close(() => {
      clearInterval(timer);
      resolve();
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), TIMEOUT_MS).unref();
  });
}
