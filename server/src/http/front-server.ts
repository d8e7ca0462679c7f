import { type RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { readAsGatewayCall } from './gateway-call.ts';
import { AnswerTexts } from './hot-path/answer-text.ts';
import { answeringFirst } from './hot-path/fast-path.ts';
import { type ForConnection, StraightConnection } from './hot-path/straight-connection.ts';
import type { Validations } from './hot-path/validations.ts';

/** How long who is waited for, in milliseconds. */
const PATIENCE = {
  keepAlive: 75_000,
  headers: 10_000,
  request: 20_000,
  /** Node looks so seldom by default that 10 s would mean up to 40. */
  lookEvery: 2_000,
};

/**
 * The server that faces callers, on whichever thread. A connection is read straight as long as
 * only ordinary validations come over it, and by Node's parser from the first other request on;
 * limits and timeouts are the same for both.
 */
export class FrontServer extends Server {
  readonly #straight = new Set<StraightConnection>();
  readonly #looking: NodeJS.Timeout;
  readonly #patience: typeof PATIENCE;

  constructor(validations: Validations, otherwise: RequestListener, patience = PATIENCE) {
    const answer = answeringFirst(validations, (request, response) => {
      readAsGatewayCall(request);
      otherwise(request, response);
    });
    super(
      {
        headersTimeout: patience.headers,
        requestTimeout: patience.request,
        keepAliveTimeout: patience.keepAlive,
        connectionsCheckingInterval: patience.lookEvery,
        maxHeaderSize: 16 * 1024,
        // Node would answer without a body; the gate says what is missing.
        requireHostHeader: false,
      },
      answer,
    );
    // Expectations other than 100-continue may be passed over; Node would answer without a body.
    this.on('checkExpectation', answer);
    this.#patience = patience;
    this.#readStraight(validations);
    this.#looking = setInterval(() => this.#closeQuiet(), patience.lookEvery).unref();
  }

  /** Puts itself before what Node does with a new connection. */
  #readStraight(validations: Validations): void {
    const [byParser] = this.listeners('connection') as [(socket: Socket) => void];
    this.off('connection', byParser);
    const parts: ForConnection = {
      validations,
      texts: new AnswerTexts(this.#patience.keepAlive),
      isTaking: () => this.listening,
      handOver: (socket) => byParser.call(this, socket),
      closed: (connection) => this.#straight.delete(connection),
    };
    this.on('connection', (socket) => this.#straight.add(new StraightConnection(socket, parts)));
  }

  #closeQuiet(): void {
    const now = performance.now();
    for (const connection of this.#straight) {
      const { isIdle, hasAnswered, quietSince } = connection;
      const { keepAlive, headers } = this.#patience;
      if (isIdle && now - quietSince > (hasAnswered ? keepAlive : headers)) connection.destroy();
    }
  }

  override close(callback?: (error?: Error) => void): this {
    clearInterval(this.#looking);
    return super.close(callback);
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const connection of this.#straight) if (connection.isIdle) connection.closeSoon();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    for (const connection of this.#straight) connection.destroy();
  }
}
