import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Resolves when `condition` holds for the received requests. */
  until(condition: (received: readonly Received[]) => boolean): Promise<void>;
  /** Responds to the hanging requests on this path. */
  release(path: string): void;
  /** Response status per path; default 200. */
  statuses: Map<string, number>;
  close(): Promise<void>;
}

type Behavior = (response: ServerResponse, received: Received) => void;

const MEGABYTE = Buffer.alloc(2 ** 20, 'x');
const BOMB = gzipSync(Buffer.alloc(64 * 2 ** 20));

/** Misbehaving receivers, by the first segment of the path. */
const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  error: (response) => response.writeHead(500).end('it broke'),
  hang: () => {},
  drip: (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 100);
    response.once('close', () => clearInterval(timer));
  },
  reset: (response) => response.socket!.resetAndDestroy(),
  flood: (response) => {
    response.writeHead(200);
    let left = 10 * 1024;
    const more = () => {
      while (left-- > 0 && response.write(MEGABYTE));
      if (left > 0) response.once('drain', more);
    };
    more();
  },
  bomb: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
  latin: (response) => {
    response.socket!.end(
      Buffer.from('HTTP/1.1 200 OK\r\nx-name: caf\u00e9\r\ncontent-length: 0\r\n\r\n', 'latin1'),
    );
  },
  echo: (response, { headers, body }) =>
    response.writeHead(500).end(JSON.stringify(headers) + body),
};

/**
 * A receiver on loopback; `/{behaviour}/…` selects how it answers. `keep` is what it remembers of a
 * request; default: everything.
 */
export async function startReceiver(
  keep = (received: Received): Received => received,
): Promise<Receiver> {
  const received: Received[] = [];
  const statuses = new Map<string, number>();
  const waiting = new Set<() => void>();
  const hanging = new Map<string, ServerResponse[]>();
  const server = createServer(async (request, response) => {
    const one = await read(request).catch(() => null);
    if (one === null) return;
    received.push(keep(one));
    for (const check of waiting) check();
    const behaviour = BEHAVIORS[one.path.split('/')[1] ?? ''];
    if (one.path.startsWith('/hang'))
      hanging.set(one.path, [...(hanging.get(one.path) ?? []), response]);
    if (behaviour !== undefined) behaviour(response, one);
    else response.writeHead(statuses.get(one.path) ?? 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    statuses,
    until(condition) {
      return new Promise((resolve) => {
        const check = () => {
          if (!condition(received)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
    release(path) {
      for (const response of hanging.get(path) ?? []) response.writeHead(200).end();
      hanging.delete(path);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    path: request.url ?? '',
    method: request.method ?? '',
    headers: request.headers as Record<string, string>,
    body: Buffer.concat(chunks).toString(),
  };
}
