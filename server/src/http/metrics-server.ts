import { createServer, type Server } from 'node:http';
import type { Metrics } from './metrics.ts';

/** On a port of its own, so that what is open to callers never shows how the inside is doing. */
export function createMetricsServer(metrics: Metrics): Server {
  return createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await metrics.registry.metrics();
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
    } catch (error) {
      response.writeHead(500).end(`${error}\n`);
    }
  });
}
