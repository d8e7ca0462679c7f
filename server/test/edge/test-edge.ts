import { Agent, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { buildEdge, type Edge, type EdgeParts } from '../../src/edge/build.ts';
import { addressOf, listen } from '../../src/edge/serve.ts';
import type { ListenAddress } from '../../src/edge/settings.ts';

export interface TestEdge extends Edge {
  /** The URL, or the path of the Unix socket. */
  readonly address: string;
  readonly log: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts an edge in this process. Its timeout is long, for slow machines; tests of a server that does not
 * respond pass a shorter one.
 */
export async function startTestEdge(
  parts: Pick<EdgeParts, 'upstreamUrl' | 'accessKey'> & Partial<EdgeParts>,
  at: ListenAddress = { host: '127.0.0.1', port: 0 },
): Promise<TestEdge> {
  const log: string[] = [];
  const edge = buildEdge({
    timeoutMs: 240_000,
    isTrusting: false,
    staleMs: null,
    isStopping: () => false,
    log: {
      error: (fields, message) => log.push(`${message} ${JSON.stringify(fields)}`),
      warn: (message) => log.push(message),
    },
    ...parts,
  });
  await listen(edge.server, at);
  return {
    ...edge,
    address: addressOf(edge.server),
    log,
    async stop() {
      await edge.close();
      edge.server.closeAllConnections();
      await new Promise((resolve) => edge.server.close(resolve));
    },
  };
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const agent = new Agent({ keepAlive: true });

/** The message of a server or an edge that sheds load; a slow machine is enough to cause it. */
const SHED = 'The server is overloaded.';

/**
 * Sends a request as it is, and again if it was shed. `address`: a URL, or the path of a Unix socket.
 */
export async function exchange(address: string, request: RawRequest): Promise<RawResponse> {
  for (;;) {
    const answer = await exchangeOnce(address, request);
    if (answer.status !== 503 || !answer.body.includes(SHED)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

function exchangeOnce(address: string, request: RawRequest): Promise<RawResponse> {
  const { method = 'POST', path, headers = {}, body } = request;
  const to = address.startsWith('http')
    ? { host: new URL(address).hostname, port: new URL(address).port, agent }
    : { socketPath: address, agent };
  return new Promise((resolve, reject) => {
    const own = {
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...headers,
    };
    const sent = send({ ...to, method, path, headers: own as Record<string, string> });
    sent.on('error', reject).on('response', async (response) => {
      const all = response.headers as Record<string, string>;
      resolve({ status: response.statusCode!, headers: all, body: await text(response) });
    });
    sent.end(body);
  });
}
