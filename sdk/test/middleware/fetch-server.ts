import { createServer, type RequestListener, type Server } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** Adapts a Fetch API handler to `node:http`. */
export const listenerFor =
  (handle: (request: Request) => Response | Promise<Response>): RequestListener =>
  async (incoming, outgoing) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, { headers });
    const response = await handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body) Readable.fromWeb(response.body as ReadableStream).pipe(outgoing);
    else outgoing.end();
  };

export const serverOf = (listener: RequestListener): Server => createServer(listener);
