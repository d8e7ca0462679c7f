import type { Server } from 'node:http';
import { ERRORS } from '../../kernel/errors.ts';
import { createServer } from '../../kernel/node-http.ts';
import { StalledConnections } from '../connection/stalled-connections.ts';
import { rejectUnreadable } from '../connection/unreadable-requests.ts';
import { NO_SNIFFING } from '../responses/no-sniffing.ts';
import type { Metrics } from './metrics.ts';

const STALLED_MS = 30_000;
const CHECK_EVERY_MS = 2_000;
/** From the connection to the end of a request, which has no body. */
const REQUEST_MS = 10_000;
/** Far more than scrapers need. A scrape takes about 1 MB while it is sent. */
const CONNECTIONS_MAX = 100;

/** Serves metrics on a separate port, so that the public port never exposes them. */
export function createMetricsServer(metrics: Metrics): Server {
  const timeouts = {
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  };
  const server = createServer(timeouts, (request, response) => {
    response.setHeader(...NO_SNIFFING);
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.registry
      .metrics()
      .then(
        (text) =>
          response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
        (error: unknown) => response.writeHead(500).end(`${error}\n`),
      )
      .catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    rejectUnreadable(error, socket, (code) => {
      const [statusCode, message] = ERRORS[code];
      return { statusCode, message, code };
    }),
  );
  const stalled = new StalledConnections(server, STALLED_MS);
  const checking = setInterval(() => stalled.check(performance.now()), CHECK_EVERY_MS).unref();
  return server.once('close', () => clearInterval(checking));
}
