import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { CredentialChecks } from '../features/access-keys/index.ts';
import type { WriteErrorBody } from '../kernel/errors.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { BODY_BYTES_MAX } from '../kernel/json/json.ts';
import type { ResponseBudget } from '../kernel/response-budget.ts';
import type { Route } from '../kernel/route.ts';
import { ApiServer, type Timeouts } from './connection/api-server.ts';
import { rejectUnreadable } from './connection/unreadable-requests.ts';
import { rejectAmbiguous } from './gate/ambiguous-requests.ts';
import type { Gate } from './gate/gate.ts';
import type { Overload } from './gate/overload.ts';
import { handlePortalCors } from './gate/portal-access.ts';
import type { HotPath } from './hot-path/index.ts';
import { loggedUrl, type Values } from './logged-url.ts';
import type { Metrics } from './metrics/metrics.ts';
import { toKeywardError } from './responses/errors.ts';
import { NO_SNIFFING } from './responses/no-sniffing.ts';
import { onResponseEnd } from './responses/on-response-end.ts';
import { slowReadMessage } from './responses/slow-read.ts';
import { AllowedMethods, rejectUnrouted } from './routing/allowed-methods.ts';
import { installBodyParser } from './routing/body-parser.ts';
import type { IdempotentCalls } from './routing/idempotency.ts';
import { mountRoute } from './routing/mount-route.ts';
import { limitRawBodies } from './routing/raw-bodies.ts';
import { compileSchema } from './routing/schema-check.ts';
import { withReadableValue } from './routing/value-in-path.ts';

/** Logged as the status if the client disconnected before the response. */
const CLIENT_GONE = 499;

const PROBES = new Set(['/healthz', '/readyz']);

export interface HttpParts {
  readonly routes: readonly Route[];
  readonly gate: Gate;
  readonly idempotentCalls: IdempotentCalls;
  readonly metrics: Metrics;
  readonly overload: Overload;
  readonly credentialChecks: CredentialChecks;
  readonly responses: ResponseBudget;
  readonly log: FastifyBaseLogger;
  readonly nextRequestId: () => string;
  readonly errorBody: WriteErrorBody;
  readonly trustedProxies: readonly string[];
  /** Whether clients should open their next connection to another node. */
  readonly closesConnections: () => boolean;
  /** Null: every request goes through Node's parser and the router. */
  readonly hotPath: HotPath | null;
  readonly timeouts?: Partial<Timeouts>;
  /** Records requests; called before any other hook is added. */
  readonly traceRequests?: ((server: FastifyInstance) => void) | undefined;
}

/** Builds the HTTP server, which does not listen yet. */
export function buildServer(parts: HttpParts): FastifyInstance {
  const { metrics, overload, log, errorBody } = parts;
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
    rewriteUrl: ({ url = '/' }) => withReadableValue(url),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    // An invalid URL reaches neither a route nor the error handler below.
    frameworkErrors: (error, request, reply: FastifyReply) => {
      const keywardError = toKeywardError(error, log.child({ requestId: request.id }));
      setCommonHeaders(request, reply);
      reply
        .status(keywardError.status)
        .send(errorBody(keywardError.code, request.id, keywardError.message));
    },
    serverFactory(handler) {
      apiServer = new ApiServer({
        router: handler,
        hotPath: parts.hotPath,
        closesConnections: parts.closesConnections,
        onError: (err) => log.error({ err }, 'a request failed; connection closed'),
        ...(parts.timeouts && { timeouts: parts.timeouts }),
      });
      return apiServer;
    },
    clientErrorHandler(error, socket) {
      apiServer!.rejectRest(socket as Socket, () =>
        rejectUnreadable(error, socket, (code) => errorBody(code, parts.nextRequestId())),
      );
    },
  });
  const logRequest = (request: FastifyRequest, reply: FastifyReply): void => {
    const { config, url = 'unknown' } = request.routeOptions;
    const route = config.route?.path ?? url;
    const ms = reply.elapsedTime;
    const status = reply.raw.headersSent ? reply.statusCode : CLIENT_GONE;
    // The duration of a stream is not a latency.
    if (!config.route?.stream) metrics.request(request.method, route, status, ms);
    const isProbe = PROBES.has(route) && status === 200;
    const isValidation = request.principal !== null && config.route?.access === 'keys:validate';
    // Probes and validations are too frequent for a line each.
    const level = isProbe || isValidation ? 'debug' : 'info';
    log[level](
      {
        requestId: request.id,
        method: request.method,
        url: loggedUrl(
          config.route ?? { path: url },
          request.params as Values,
          request.query as Values,
        ),
        status,
        ms: Math.round(ms * 10) / 10,
        principal: request.principal?.id,
      },
      'request',
    );
  };
  parts.traceRequests?.(server);
  server.addHook('onClose', async () => metrics.close());
  server.setValidatorCompiler(compileSchema);
  server.decorateRequest('principal', null);
  installBodyParser(server);

  server.addHook('onRequest', async (request, reply) => {
    // Unlike Fastify's onResponse, 'close' is also emitted when the client has disconnected.
    reply.raw.once('close', () => logRequest(request, reply));
    setCommonHeaders(request, reply);
    rejectAmbiguous(request.raw);
    if (handlePortalCors(request, reply)) return reply;
    // Rejected before the body is read: nobody would use it.
    if (request.is404) return rejectUnrouted(request, reply, allowedMethods);
    await parts.gate.pass(request, reply);
  });
  limitRawBodies(server);
  server.addHook('preValidation', async (request) => {
    if (!['GET', 'HEAD'].includes(request.method)) await parts.gate.passAgain(request);
  });
  // Counted once the body is complete: half a request must not take a slot from others.
  server.addHook('preValidation', async (request, reply) => {
    const isStream = request.routeOptions.config.route?.stream === true;
    if (request.principal === null || isStream || reply.raw.closed) return;
    overload.inFlight++;
    onResponseEnd(reply.raw, () => {
      overload.inFlight--;
    });
  });
  server.setErrorHandler(async (error, request, reply) => {
    const { route } = request.routeOptions.config;
    const slowMessage = () => route && slowReadMessage(route, request.query as Values);
    const keywardError = toKeywardError(error, log.child({ requestId: request.id }), slowMessage);
    // A caller without a valid credential has no account whose share could be limited.
    if (request.principal === null && keywardError.status < 500)
      await parts.credentialChecks.run(request.ip, () => {});
    for (let i = 0; i < keywardError.headers.length; i += 2)
      reply.header(keywardError.headers[i]!, keywardError.headers[i + 1]!);
    // This header contains the reset of the rate-limit window, which would contradict the Retry-After of a 503.
    if (keywardError.status === 503) reply.removeHeader('retry-after-seconds');
    return reply
      .status(keywardError.status)
      .send(errorBody(keywardError.code, request.id, keywardError.message));
  });
  const allowedMethods = new AllowedMethods();
  server.addHook('onRoute', ({ url, method }) => allowedMethods.add(url, method));
  server.setNotFoundHandler((request, reply) => {
    const body = errorBody('route_not_found', request.id);
    reply.status(body.statusCode).send(body);
  });
  // One list is written in each turn of the event loop; accounts take turns.
  const listTurns = new FairQueue({ perCaller: 1, total: 1 });
  for (const route of parts.routes) mountRoute(server, route, { ...parts, listTurns });
  return server;
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
  reply.header(...NO_SNIFFING);
}
