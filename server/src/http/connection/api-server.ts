import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Server, ServerResponse } from '../../kernel/node-http.ts';
import {
  type HotPath,
  NEW_CONNECTION_MS,
  RawListener,
  validationsFirst,
} from '../hot-path/index.ts';
import { SequentialRequests } from './sequential-requests.ts';
import { StalledConnections } from './stalled-connections.ts';

/** Timeouts of a connection, in milliseconds. */
export interface Timeouts {
  /** Time without a request after a response. */
  readonly keepAlive: number;
  /** Time until all headers of a request have arrived. */
  readonly headers: number;
  /** Time until a whole request has arrived. */
  readonly request: number;
  /** Time during which the client reads nothing of a response. */
  readonly stalled: number;
  readonly checkEvery: number;
}

const TIMEOUTS: Timeouts = {
  keepAlive: 75_000,
  headers: 10_000,
  request: 20_000,
  stalled: 30_000,
  /** With Node's default of 30 s, a timeout of 10 s could take up to 40 s. */
  checkEvery: 2_000,
};

export interface ApiServerParts {
  readonly router: RequestListener;
  /** Null: Node's parser reads every connection, and the router handles every request. */
  readonly hotPath: HotPath | null;
  /** Whether each connection is closed after its response: the node is stopping, or not ready. */
  readonly closesConnections: () => boolean;
  /** Called with an error that no handler has caught. The connection of the request is closed. */
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<Timeouts>;
}

/**
 * The HTTP server of the API. With the hot path, `RawConnection` reads a new connection as long as it
 * carries only simple validations. At the first other request, Node's parser takes over. Limits and
 * timeouts are the same for both. A request starts only when the previous response has been sent.
 */
export class ApiServer extends Server {
  readonly #raw: RawListener | null;
  readonly #requests: SequentialRequests;
  readonly #checking: NodeJS.Timeout;

  constructor({ router, hotPath, onError, ...parts }: ApiServerParts) {
    const closesConnections = () => !this.listening || parts.closesConnections();
    const timeouts = { ...TIMEOUTS, ...parts.timeouts };
    const route: RequestListener = (request, response) => {
      normalizeGatewayCall(request);
      router(request, response);
    };
    const handle = hotPath === null ? route : validationsFirst(hotPath, route);
    const requests = new SequentialRequests((request, response) => {
      try {
        handle(request, response);
      } catch (error) {
        onError(error);
        request.socket.destroy();
      }
    });
    super(
      {
        ServerResponse: closingResponse(closesConnections),
        headersTimeout: timeouts.headers,
        requestTimeout: timeouts.request,
        keepAliveTimeout: timeouts.keepAlive,
        connectionsCheckingInterval: timeouts.checkEvery,
        maxHeaderSize: 16 * 1024,
        // Node would respond without a body; the gate responds with an error that names the header.
        requireHostHeader: false,
      },
      requests.listener,
    );
    this.#requests = requests;
    // Expectations other than 100-continue may be ignored; Node would reject them without a body.
    this.on('checkExpectation', requests.listener);
    const stalled = new StalledConnections(this, timeouts.stalled);
    this.#raw =
      hotPath === null
        ? null
        : new RawListener(this, { handler: hotPath, timeouts, closesConnections, onError });
    this.#checking = setInterval(() => {
      const now = performance.now();
      this.#raw?.closeTimedOut(now);
      stalled.check(now);
    }, timeouts.checkEvery).unref();
  }

  /** See `SequentialRequests.rejectRest`. */
  rejectRest(socket: Socket, reject: () => void): void {
    this.#requests.rejectRest(socket, reject);
  }

  override close(callback?: (error?: Error) => void): this {
    clearInterval(this.#checking);
    // Those that were too new to be closed.
    setTimeout(() => this.closeIdleConnections(), NEW_CONNECTION_MS).unref();
    return super.close(callback);
  }

  /** Spares connections that have just been made: their first request is on its way. */
  override closeIdleConnections(): void {
    super.closeIdleConnections();
    this.#raw?.closeIdle(performance.now());
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    this.#raw?.destroyAll();
  }
}

/** The response of a server that may say with any response that it closes the connection. */
function closingResponse(closesConnections: () => boolean) {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(...head: unknown[]): this {
      if (closesConnections()) this.shouldKeepAlive = false;
      return super.writeHead(...(head as [number]));
    }
  };
}

const GATEWAY_PATH = '/gateway/verify';

/**
 * A gateway may send the method and the path of its user's request: Envoy appends that path to ours. Every
 * such call becomes a GET of our own path. Cutting off the user's path also keeps it out of our log.
 */
function normalizeGatewayCall(request: IncomingMessage): void {
  const url = request.url!;
  if (!url.startsWith(GATEWAY_PATH)) return;
  const next = url[GATEWAY_PATH.length];
  if (next !== undefined && next !== '/' && next !== '?') return;
  request.method = 'GET';
  if (next === '/') request.url = GATEWAY_PATH;
}
