import { setMaxListeners } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../kernel/actor.ts';
import type { Principal } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { FairQueue } from '../../kernel/fair-queue.ts';
import { type RequestContext, runInRequest } from '../../kernel/request-context.ts';
import type { ResponseBudget } from '../../kernel/response-budget.ts';
import { type Call, RawResponse, type Route, type Streamed } from '../../kernel/route.ts';
import { PAGE_BYTES_MAX, strict } from '../../kernel/schemas.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import type { Gate } from '../gate/gate.ts';
import { isRead, payerOf, readerOf } from '../gate/payers.ts';
import { sendEvents } from '../responses/event-stream.ts';
import { callListRoute, sendListing } from '../responses/listing.ts';
import { onResponseEnd } from '../responses/on-response-end.ts';
import type { IdempotentCalls } from './idempotency.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
    rawBody?: Buffer;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

/** The caller of routes that need no credential. */
const ANONYMOUS: Principal = {
  kind: 'access-key',
  id: '',
  accountId: '',
  projectIds: [],
  scopes: new Set(),
};

/** Unknown parameters are rejected: ignoring a misspelled filter would return the wrong list. */
const NO_QUERY = strict({});

interface MountParts {
  readonly idempotentCalls: IdempotentCalls;
  readonly gate: Gate;
  readonly responses: ResponseBudget;
  readonly listTurns: FairQueue;
}

/** Shorter responses are not counted: with 2,000 requests in progress they take 8 MB. */
const COUNTED_BYTES_MIN = 4 * 1024;

/** Mounts a route on Fastify, which checks the schemas. */
export function mountRoute(
  server: FastifyInstance,
  route: Route,
  { idempotentCalls, gate, responses, listTurns }: MountParts,
): void {
  server.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: answersHead(route),
    schema: {
      ...(route.params && { params: route.params }),
      querystring: route.query ?? NO_QUERY,
      ...(route.body && { body: route.body }),
    },
    ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
    config: { route },
    handler: (request, reply) =>
      runInRequest(contextOf(route, request, reply), () => respond(request, reply)),
  });

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const call = callOf(route, request, idempotentCalls);
    if (route.list) {
      const payer = payerOf(request.principal, route);
      const held = await responses.reserve(payer, PAGE_BYTES_MAX);
      onResponseEnd(reply.raw, held.release);
      return sendListing(request, reply, await callListRoute(route, call), {
        csvColumns: route.csv,
        mayContinue: () => gate.passAgain(request),
        takeTurn: () => listTurns.run(payer.name, () => {}),
        held,
      });
    }
    if (route.stream) return sendEvents(reply, (await route.handle(call)) as Streamed);
    if (call.idempotency === undefined) return sendResult(request, reply, await route.handle(call));
    const once = await idempotentCalls.run(call.actor.principal.id, call.idempotency, () =>
      route.handle(call),
    );
    if ('result' in once) return sendResult(request, reply, once.result);
    reply.header('idempotent-replayed', 'true');
    return sendJson(request, reply.status(route.status), once.replayed);
  }

  function sendResult(request: FastifyRequest, reply: FastifyReply, result: unknown): FastifyReply {
    if (!(result instanceof RawResponse))
      return sendJson(request, reply.status(route.status), JSON.stringify(result));
    const { status, headers, body, onDone } = result.response;
    if (onDone) onResponseEnd(reply.raw, onDone);
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i]!, headers[i + 1]!);
    return reply.status(status).send(body);
  }

  function sendJson(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
    if (text.length >= COUNTED_BYTES_MIN) {
      const held = responses.send(payerOf(request.principal, route), Buffer.byteLength(text));
      onResponseEnd(reply.raw, held.release);
    }
    return reply.type('application/json; charset=utf-8').send(text);
  }
}

function contextOf(route: Route, request: FastifyRequest, reply: FastifyReply): RequestContext {
  const { principal } = request;
  const gone = new AbortController();
  // Node warns of a leak above ten listeners; a request may have more reads than that at a time.
  setMaxListeners(0, gone.signal);
  onResponseEnd(reply.raw, () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return {
    reader: readerOf(principal),
    signal: gone.signal,
    pageSince: route.method === 'GET' && !route.stream ? 'no read yet' : undefined,
  };
}

/** A HEAD request must have no effect: it validates no key, ends no sign-in and opens no stream. */
const answersHead = (route: Route): boolean =>
  isRead(route) && route.status === 200 && !route.stream;

function callOf(route: Route, request: FastifyRequest, calls: IdempotentCalls): Call {
  const actor: Actor = {
    principal: request.principal ?? ANONYMOUS,
    requestId: request.id,
    clientAddress: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    ...(route.updates && expectedUpdatedAt(request.headers['if-match'])),
  };
  const { params, query, body, headers, rawBody } = request;
  const idempotency = route.creates
    ? calls.read(headers['idempotency-key'], `${route.method} ${route.path}`, {
        params,
        body,
        ...(Object.keys(query as object).length > 0 && { query }),
        // A person may send the same call in two of their accounts.
        ...(actor.principal.kind === 'user' && { accountId: actor.principal.accountId }),
      })
    : undefined;
  const isGone = () => request.socket.destroyed;
  return {
    ...{ params, query, body, headers, actor, isGone, peer: request.socket.remoteAddress },
    ...(rawBody && { rawBody }),
    ...(idempotency && { idempotency }),
  };
}

/** `If-Match: "<updatedAt>"`, with or without quotes. */
function expectedUpdatedAt(header: string | undefined): Pick<Actor, 'expectedUpdatedAt'> {
  if (header === undefined) return {};
  const time = Date.parse(header.replace(/^"(.*)"$/, '$1'));
  if (Number.isNaN(time))
    throw new KeywardError('invalid_header', 'If-Match must be the updatedAt of the resource.');
  return { expectedUpdatedAt: isoTime(time) };
}
