import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { WriteErrorBody } from '../kernel/errors.ts';
import type { Route } from '../kernel/route.ts';
import { AllowedMethods, answerUnrouted } from './allowed-methods.ts';
import { ApiServer, type Timeouts } from './api-server.ts';
import { BODY_BYTES_MAX, installBodyParser } from './body-parser.ts';
import { toKeywardError } from './error-answers.ts';
import { type Gate, refuseAmbiguous } from './gate.ts';
import type { ValidationHandler } from './hot-path/index.ts';
import type { IdempotentCalls } from './idempotency.ts';
import { createUrlMask } from './masked-url.ts';
import type { Metrics } from './metrics.ts';
import { mountRoute } from './mount-route.ts';
import type { Overload } from './overload.ts';
import { compileSchema } from './schema-check.ts';
import { answerUnreadable } from './unreadable.ts';

/** What the log says of a request whose sender did not wait for the answer. */
const READER_GONE = 499;

const PROBES = new Set(['/healthz', '/readyz']);

export interface HttpParts {
  readonly routes: readonly Route[];
  readonly gate: Gate;
  readonly idempotentCalls: IdempotentCalls;
  readonly metrics: Metrics;
  readonly overload: Overload;
  readonly log: FastifyBaseLogger;
  readonly nextRequestId: () => string;
  readonly errorBody: WriteErrorBody;
  readonly trustedProxies: readonly string[];
  readonly isDraining: () => boolean;
  /** Null: every request goes through Node's parser and the router. */
  readonly hotPath: ValidationHandler | null;
  readonly timeouts?: Partial<Timeouts>;
}

/** The whole HTTP side, built and not yet listening. */
export function buildServer(parts: HttpParts): FastifyInstance {
  const { metrics, overload, log, errorBody } = parts;
  const maskUrl = createUrlMask(parts.routes);
  let apiServer: ApiServer | undefined;
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
    serverFactory(handler) {
      apiServer = new ApiServer({
        router: handler,
        hotPath: parts.hotPath,
        onError: (err) => log.error({ err }, 'a request failed; its connection is closed'),
        ...(parts.timeouts && { timeouts: parts.timeouts }),
      });
      return apiServer;
    },
    clientErrorHandler(error, socket) {
      if (apiServer?.isAnswering(socket as Socket)) socket.destroy();
      else answerUnreadable(error, socket, (code) => errorBody(code, parts.nextRequestId()));
    },
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
    refuseAmbiguous(request.raw);
    // Before the body is read: it would be for nothing.
    if (request.is404) return answerUnrouted(request, reply, allowedMethods);
    await parts.gate.pass(request, reply);
  });
  // The body is complete: a client that sends half a request must not take a slot from others.
  server.addHook('preValidation', async (request, reply) => {
    const isStream = request.routeOptions.config.route?.stream === true;
    if (request.principal === null || isStream || reply.raw.closed) return;
    overload.inFlight++;
    reply.raw.once('close', () => {
      overload.inFlight--;
    });
  });
  server.addHook('onSend', async (_request, reply) => {
    // A caller whose request was under way when the stop began must open a new connection.
    if (parts.isDraining()) reply.raw.shouldKeepAlive = false;
  });
  server.setErrorHandler((error, request, reply) => {
    const answer = toKeywardError(error, log.child({ requestId: request.id }));
    for (let i = 0; i < answer.headers.length; i += 2)
      reply.header(answer.headers[i]!, answer.headers[i + 1]!);
    // It says when the window of the rate limit resets, and would contradict the Retry-After of a 503.
    if (answer.status === 503) reply.removeHeader('retry-after-seconds');
    reply.status(answer.status).send(errorBody(answer.code, request.id, answer.message));
  });
  const allowedMethods = new AllowedMethods();
  server.addHook('onRoute', ({ url, method }) => allowedMethods.add(url, method));
  server.setNotFoundHandler((request, reply) => {
    const body = errorBody('route_not_found', request.id);
    reply.status(body.statusCode).send(body);
  });
  for (const route of parts.routes) mountRoute(server, route, parts.idempotentCalls);
  return server;
}
