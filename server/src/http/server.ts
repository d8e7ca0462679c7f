import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type ErrorCode, errorBody, reasonOf } from '../kernel/errors.ts';
import type { Route } from '../kernel/route.ts';
import { BODY_BYTES_MAX, installBodyParser } from './body-parser.ts';
import { toKeywardError } from './error-answers.ts';
import type { Gate } from './gate.ts';
import { readAsGatewayCall } from './gateway-call.ts';
import type { IdempotentCalls } from './idempotency.ts';
import { createUrlMask } from './masked-url.ts';
import type { Metrics } from './metrics.ts';
import { mountRoute } from './mount-route.ts';
import type { Overload } from './overload.ts';
import { compileSchema } from './schema-check.ts';

/** What the log says of a request whose sender did not wait for the answer. */
const READER_GONE = 499;

const PROBES = new Set(['/healthz', '/readyz']);

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpParts {
  readonly routes: readonly Route[];
  readonly gate: Gate;
  readonly idempotentCalls: IdempotentCalls;
  readonly metrics: Metrics;
  readonly overload: Overload;
  readonly log: FastifyBaseLogger;
  readonly nextRequestId: () => string;
  readonly trustedProxies: readonly string[];
  readonly isDraining: () => boolean;
  /** Answers what it knows, and says whether it did. */
  readonly fastPath: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** The whole HTTP side, built and not yet listening. */
export function buildServer(parts: HttpParts): FastifyInstance {
  const { metrics, overload, log } = parts;
  const maskUrl = createUrlMask(parts.routes);
  const server = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: parts.nextRequestId,
    requestIdHeader: false,
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: parts.trustedProxies.length === 0 ? false : [...parts.trustedProxies],
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    // An address that cannot be read never reaches a route, nor the error handler below.
    frameworkErrors: (error, request, reply: FastifyReply) => {
      const answer = toKeywardError(error, log);
      reply.status(answer.status).send(errorBody(answer.code, request.id, answer.message));
    },
    serverFactory: (handler) => nodeServer(handler, parts.fastPath),
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, parts.nextRequestId()),
  });
  const told = (request: FastifyRequest, reply: FastifyReply): void => {
    const route = request.routeOptions.config.route?.path ?? request.routeOptions.url ?? 'unknown';
    const ms = reply.elapsedTime;
    const status = reply.raw.headersSent ? reply.statusCode : READER_GONE;
    // How long a client listened says nothing about how quick we are.
    if (!request.routeOptions.config.route?.stream)
      metrics.request(request.method, route, status, ms);
    // Probes come every second or so and tell nothing as long as they succeed.
    const level = PROBES.has(route) && status === 200 ? 'debug' : 'info';
    log[level](
      {
        requestId: request.id,
        method: request.method,
        url: maskUrl(request.url),
        status,
        ms: Math.round(ms * 10) / 10,
        principal: request.principal?.id,
      },
      'request',
    );
  };
  server.setValidatorCompiler(compileSchema);
  server.decorateRequest('principal', null);
  installBodyParser(server);

  server.addHook('onRequest', async (request, reply) => {
    // 'close' comes for every answer, also for one whose reader has gone; Fastify's onResponse does not.
    reply.raw.once('close', () => told(request, reply));
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    await parts.gate.pass(request, reply);
    // Counted only now: who has shown no credential must not be able to fill the house.
    // A stream is no work that waits: it has limits of its own.
    const isStream = request.routeOptions.config.route?.stream === true;
    if (request.principal === null || isStream || reply.raw.closed) return;
    overload.inFlight++;
    reply.raw.once('close', () => {
      overload.inFlight--;
    });
  });
  server.addHook('onSend', async (_request, reply) => {
    // Whoever was under way when the stop began is told not to come back on this connection.
    if (parts.isDraining()) reply.raw.shouldKeepAlive = false;
  });
  server.setErrorHandler((error, request, reply) => {
    const answer = toKeywardError(error, log.child({ requestId: request.id }));
    for (let i = 0; i < answer.headers.length; i += 2)
      reply.header(answer.headers[i]!, answer.headers[i + 1]!);
    reply.status(answer.status).send(errorBody(answer.code, request.id, answer.message));
  });
  server.setNotFoundHandler((request, reply) => {
    const body = errorBody('route_not_found', request.id);
    reply.status(body.statusCode).send(body);
  });
  for (const route of parts.routes) mountRoute(server, route, parts.idempotentCalls);
  return server;
}

/**
 * Timeouts against slow senders. Node looks at them only every `connectionsCheckingInterval`, 30 s
 * by default, which would make 10 s mean up to 40.
 */
function nodeServer(handler: Handler, fastPath: HttpParts['fastPath']) {
  const answer: Handler = (request, response) => {
    if (fastPath(request, response)) return;
    readAsGatewayCall(request);
    handler(request, response);
  };
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16 * 1024,
      // Node would answer without a body; the gate says what is missing.
      requireHostHeader: false,
    },
    answer,
  );
  // Expectations other than 100-continue may be passed over; Node would answer without a body.
  return server.on('checkExpectation', answer);
}

const UNREADABLE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What Node could not read as HTTP: answered by hand, since there is no request to answer. */
function answerUnreadable(error: { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(UNREADABLE[error.code ?? ''] ?? 'invalid_request', requestId);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${body.statusCode} ${reasonOf(body.statusCode)}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
