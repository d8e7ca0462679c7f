import type { Server } from 'node:http';
import { createServer } from '../../kernel/node-http.ts';
import { StalledConnections } from '../connection/stalled-connections.ts';
import type { Metrics } from './metrics.ts';

const STALLED_MS = 30_000;
const CHECK_EVERY_MS = 5_000;

/** Serves metrics on a separate port, so that the public port never exposes them. */
export function createMetricsServer(metrics: Metrics): Server {
  const server = createServer((request, response) => {
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
  const stalled = new StalledConnections(server, STALLED_MS);
  const checking = setInterval(() => stalled.check(performance.now()), CHECK_EVERY_MS).unref();
  return server.once('close', () => clearInterval(checking));
}
