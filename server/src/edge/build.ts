import type { Registry } from 'prom-client';
import { ClientIPHeader } from '../features/validation/client-ip.ts';
import { RefusalResponses } from '../features/validation/wire/responses.ts';
import { ApiServer } from '../http/connection/api-server.ts';
import { rejectUnreadable } from '../http/connection/unreadable-requests.ts';
import { Overload } from '../http/gate/overload.ts';
import { ValidationHandler, validationTimes } from '../http/hot-path/index.ts';
import { createRequestIds } from '../http/request-ids.ts';
import { createErrorBody, type ErrorCode, KeywardError } from '../kernel/errors.ts';
import type { RouteResponse } from '../kernel/route.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { edgeBackend } from './backend.ts';
import { Callers } from './callers.ts';
import type { Reading } from './metrics.ts';
import { EdgeRouter } from './router.ts';
import { Upstream, UpstreamUnavailable } from './upstream.ts';
import { EdgeValidator, unavailable } from './validator.ts';

export interface EdgeParts {
  readonly upstreamUrl: string;
  readonly accessKey: string;
  /** How long a request waits for the server. */
  readonly timeoutMs: number;
  /** Callers without an access key use the edge's. */
  readonly isTrusting: boolean;
  /** How long known keys are served while the server is unavailable; null: not at all. */
  readonly staleMs: number | null;
  readonly trustedProxies?: readonly string[];
  /** The header with the address of a gateway's user, from a trusted proxy. */
  readonly clientIPHeader?: string | null;
  readonly isStopping: () => boolean;
  /** Set if several processes share the port. A scrape of one of them returns the metrics of all. */
  readonly oneOfSeveral?: {
    readonly processNumber: string;
    readonly readOthers: () => Promise<readonly (Reading | null)[]>;
  };
  readonly log: { error(fields: object, message: string): void; warn(message: string): void };
}

export interface Edge {
  readonly server: ApiServer;
  readonly callers: Callers;
  /** Resolves when the stream of changes of the edge's own access key is open and the public URL is known. */
  readonly started: Promise<void>;
  readMetrics(): Promise<Reading>;
  close(): Promise<void>;
}

/** Builds an edge, which does not listen yet. */
export function buildEdge(parts: EdgeParts): Edge {
  const { upstreamUrl, timeoutMs, log } = parts;
  const upstream = new Upstream(upstreamUrl, timeoutMs, parts.accessKey);
  const callers = new Callers(
    {
      url: upstreamUrl,
      upstream,
      timeoutMs,
      staleMs: parts.staleMs,
      log: (message) => log.warn(message),
    },
    parts.accessKey,
  );
  const validator = new EdgeValidator({ upstream, callers });
  const overload = new Overload();
  const times = validationTimes();
  const nextRequestId = createRequestIds();
  const errorBody = createErrorBody(() => upstream.publicUrl);
  const refusals = new RefusalResponses(errorBody);
  let registry: Registry | undefined;
  /** Loaded at the first scrape, so that an idle edge needs at most 80 MB. */
  const loadMetrics = async () => {
    const { createMetrics, renderAll } = await import('./metrics.ts');
    const sources = { validator, callers, upstream, times };
    registry ??= createMetrics(sources, parts.oneOfSeveral?.processNumber);
    return { registry, renderAll };
  };
  const started = Promise.all([callers.own.decider.started, learnPublicUrl(upstream)]);
  let hasStarted = false;
  void started.then(() => {
    hasStarted = true;
  });

  function errorResponse(error: unknown, requestId: string): RouteResponse {
    const known = knownError(error);
    if (known.code === 'internal_error') log.error({ err: error, requestId }, 'unexpected error');
    const { code, message, status, headers } = known;
    const body = JSON.stringify(errorBody(code, requestId, message));
    const length = ['content-length', String(Buffer.byteLength(body))];
    return { status, headers: [...JSON_TYPE, ...length, ...headers], body };
  }

  function unreadyReason(): ErrorCode | null {
    if (parts.isStopping()) return 'shutting_down';
    if (!hasStarted) return 'starting_up';
    return callers.own.decider.isServing ? null : 'keyward_unavailable';
  }

  async function metricsResponse(): Promise<RouteResponse> {
    const { registry, renderAll } = await loadMetrics();
    const others = (await parts.oneOfSeveral?.readOthers()) ?? [];
    const body = await renderAll([await registry.getMetricsAsJSON(), ...others]);
    return { status: 200, headers: ['content-type', registry.contentType], body };
  }

  function probe(method: string, path: string): RouteResponse | Promise<RouteResponse> | null {
    if (method !== 'GET' && method !== 'HEAD') return null;
    if (path === '/healthz') return jsonOf({ status: 'ok' });
    if (path === '/metrics') return metricsResponse();
    if (path !== '/readyz') return null;
    const reason = unreadyReason();
    if (reason === null) return jsonOf({ status: 'ready' });
    throw new KeywardError(reason, undefined, { headers: ['Retry-After', '1'] });
  }

  const { isTrusting } = parts;
  const shared = { callers, validator, overload, refusals, nextRequestId, isTrusting };
  const { clientIPHeader: name, trustedProxies = [] } = parts;
  const clientIPHeader = name ? new ClientIPHeader(name, trustedProxies) : null;
  const router = new EdgeRouter({
    ...{ ...shared, upstream, errorBody, probe, errorResponse, clientIPHeader },
  });
  const server: ApiServer = new ApiServer({
    router: (request, response) => router.handle(request, response),
    hotPath: new ValidationHandler({
      backend: edgeBackend({ ...shared, errorResponse }),
      times,
      overload,
      refusals,
      nextRequestId,
      clock: systemClock,
      log,
    }),
    closesConnections: parts.isStopping,
    onError: (err) => log.error({ err }, 'a request failed; connection closed'),
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    server.rejectRest(socket as never, () =>
      rejectUnreadable(error, socket, (code) => errorBody(code, nextRequestId())),
    );
  });
  overload.start();
  return {
    server,
    callers,
    started: started.then(() => {}),
    readMetrics: async () => (await loadMetrics()).registry.getMetricsAsJSON(),
    async close() {
      overload.stop();
      await callers.close();
      upstream.close();
    },
  };
}

function knownError(error: unknown): KeywardError {
  if (error instanceof UpstreamUnavailable) return unavailable(error);
  return error instanceof KeywardError ? error : new KeywardError('internal_error');
}

const JSON_TYPE = ['content-type', 'application/json; charset=utf-8'];

const jsonOf = (value: object): RouteResponse => ({
  status: 200,
  headers: JSON_TYPE,
  body: JSON.stringify(value),
});

const LEARN_AGAIN_MS = 500;

/** Repeats until the server responds, or the edge is closed. */
async function learnPublicUrl(upstream: Upstream): Promise<void> {
  while (!upstream.isClosed && !upstream.knowsPublicUrl) {
    await upstream.learnPublicUrl().catch(() => {});
    if (!upstream.knowsPublicUrl)
      await new Promise((resolve) => setTimeout(resolve, LEARN_AGAIN_MS));
  }
}
