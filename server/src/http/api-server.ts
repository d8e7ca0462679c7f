import { type RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { readAsGatewayCall } from './gateway-call.ts';
import { RawListener, type ValidationHandler, validationsFirst } from './hot-path/index.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { StalledConnections } from './stalled-connections.ts';

/** Timeouts of a connection, in milliseconds. */
export interface Timeouts {
  /** Without a request after a response. */
  readonly keepAlive: number;
  /** Without all headers of a request. */
  readonly headers: number;
  /** Without a whole request. */
  readonly request: number;
  /** Without the client reading anything of a response. */
  readonly stalled: number;
  readonly checkEvery: number;
}

const TIMEOUTS: Timeouts = {
  keepAlive: 75_000,
  headers: 10_000,
  request: 20_000,
  stalled: 30_000,
  /** Node checks so seldom by default that 10 s would mean up to 40. */
  checkEvery: 2_000,
};

export interface ApiServerParts {
  readonly router: RequestListener;
  /** Null: Node's parser reads every connection, and the router answers every request. */
  readonly hotPath: ValidationHandler | null;
  /** An error that the handling of a request did not catch; its connection is closed. */
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<Timeouts>;
}

/**
 * The server of the API's port. With the hot path, a connection is read straight from its socket as
 * long as only ordinary validations come over it, and by Node's parser from the first other request
 * on; limits and timeouts are the same for both. No request starts before the response to the one
 * before it has been sent.
 */
export class ApiServer extends Server {
  readonly #raw: RawListener | null;
  readonly #requests: OneAtATime;
  readonly #checking: NodeJS.Timeout;

  constructor({ router, hotPath, onError, ...parts }: ApiServerParts) {
    const timeouts = { ...TIMEOUTS, ...parts.timeouts };
    const route: RequestListener = (request, response) => {
      readAsGatewayCall(request);
      router(request, response);
    };
    const answer = hotPath === null ? route : validationsFirst(hotPath, route);
    const requests = new OneAtATime((request, response) => {
      try {
        answer(request, response);
      } catch (error) {
        onError(error);
        request.socket.destroy();
      }
    });
    super(
      {
        headersTimeout: timeouts.headers,
        requestTimeout: timeouts.request,
        keepAliveTimeout: timeouts.keepAlive,
        connectionsCheckingInterval: timeouts.checkEvery,
        maxHeaderSize: 16 * 1024,
        // Node would answer without a body; the gate says what is missing.
        requireHostHeader: false,
      },
      requests.listener,
    );
    this.#requests = requests;
    // Expectations other than 100-continue may be ignored; Node would answer without a body.
    this.on('checkExpectation', requests.listener);
    const stalled = new StalledConnections(this, timeouts.stalled);
    this.#raw = hotPath === null ? null : new RawListener(this, hotPath, timeouts, onError);
    this.#checking = setInterval(() => {
      const now = performance.now();
      this.#raw?.closeTimedOut(now);
      stalled.check(now);
    }, timeouts.checkEvery).unref();
  }

  /** Whether part of a response has been sent, so that nothing else may be written. */
  isAnswering(socket: Socket): boolean {
    return this.#requests.isAnswering(socket);
  }

  override close(callback?: (error?: Error) => void): this {
    clearInterval(this.#checking);
    return super.close(callback);
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    this.#raw?.closeIdle();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    this.#raw?.destroyAll();
  }
}
