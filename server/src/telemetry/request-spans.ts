import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { isSampled } from '../kernel/tracing.ts';

/** Validations and probes are recorded only as part of their caller's trace: there are too many of them. */
const NEVER_FIRST = /^\/(api-keys\/auth|auth\/authenticate|gateway\/verify|healthz|readyz)(\/|$)/;

/** Records requests as spans that continue the caller's trace. */
export function traceRequests(server: FastifyInstance, tracer: Tracer): void {
  const contexts = new WeakMap<object, Context>();
  server.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.config.route?.path ?? 'unknown';
    const header = request.headers.traceparent;
    if (NEVER_FIRST.test(route) && !(typeof header === 'string' && isSampled(header)))
      return done();
    const caller = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'keyward.request_id': request.id,
    };
    const options = { kind: SpanKind.SERVER, attributes };
    const span = tracer.startSpan(`${request.method} ${route}`, options, caller);
    reply.raw.once('close', () => {
      if (reply.raw.headersSent) span.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    const active = trace.setSpan(caller, span);
    contexts.set(request, active);
    context.with(active, done);
  });
  // Reading the body leaves the context, so it is entered again.
  server.addHook('preValidation', (request, _reply, done) => {
    const active = contexts.get(request);
    if (active === undefined) done();
    else context.with(active, done);
  });
}
