import { type RequestListener, Server } from 'node:http';
import { readAsGatewayCall } from './gateway-call.ts';
import { answeringFirst, RawConnections, type Validations } from './hot-path/index.ts';

/** Timeouts of a connection, in milliseconds. */
const TIMEOUTS = {
  keepAlive: 75_000,
  headers: 10_000,
  request: 20_000,
  /** Node checks so seldom by default that 10 s would mean up to 40. */
  checkEvery: 2_000,
};

/**
 * The server of the API's port. With the hot path, a connection is read straight from its socket as
 * long as only ordinary validations come over it, and by Node's parser from the first other request
 * on; limits and timeouts are the same for both.
 */
export class ApiServer extends Server {
  readonly #raw: RawConnections | null;
  readonly #checking: NodeJS.Timeout;

  constructor(router: RequestListener, hotPath: Validations | null, timeouts = TIMEOUTS) {
    const route: RequestListener = (request, response) => {
      readAsGatewayCall(request);
      router(request, response);
    };
    const answer = hotPath === null ? route : answeringFirst(hotPath, route);
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
      answer,
    );
    // Expectations other than 100-continue may be ignored; Node would answer without a body.
    this.on('checkExpectation', answer);
    this.#raw = hotPath === null ? null : new RawConnections(this, hotPath, timeouts);
    this.#checking = setInterval(
      () => this.#raw?.closeSilent(performance.now()),
      timeouts.checkEvery,
    ).unref();
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
