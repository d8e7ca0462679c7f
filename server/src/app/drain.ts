import type { Server } from 'node:http';

const PATIENCE_MS = 6_000;
const LOOK_EVERY_MS = 50;

/**
 * Takes no new connection, lets what is under way be answered, and closes a connection after its
 * answer. Who has not finished after six seconds is cut off, to leave time for the last flush.
 */
export function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.prependListener('request', (_request, response) => {
      if (!response.headersSent) response.shouldKeepAlive = false;
    });
    // A connection that is busy now goes idle after its answer, and would then be kept for the
    // next request, which is not to come.
    const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
    server.close(() => {
      clearInterval(looking);
      resolve();
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), PATIENCE_MS).unref();
  });
}
