import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer } from '../../../kernel/node-http.ts';

export interface LocalReceiver {
  readonly url: string;
  close(): Promise<void>;
}

/** Receives deliveries on loopback. `accept` returns the problem with a delivery, or null. */
export async function startReceiver(
  port: number,
  accept: (headers: IncomingHttpHeaders, body: string) => Promise<string | null>,
): Promise<LocalReceiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const fault = await accept(request.headers, body);
    response.writeHead(fault === null ? 200 : 400).end(fault ?? '');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
