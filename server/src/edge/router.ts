import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Address, addressText } from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import type { ClientIPHeader } from '../features/validation/client-ip.ts';
import { GATEWAY_CREDENTIAL, gatewayResponse } from '../features/validation/gateway.ts';
import {
  acceptanceResponse,
  type RefusalResponses,
} from '../features/validation/wire/responses.ts';
import { rejectAmbiguous } from '../http/gate/ambiguous-requests.ts';
import { credentialIn } from '../http/gate/credentials.ts';
import type { Overload } from '../http/gate/overload.ts';
import { NO_SNIFFING } from '../http/responses/no-sniffing.ts';
import { onResponseEnd } from '../http/responses/on-response-end.ts';
import { readJsonBody } from '../http/routing/json-body.ts';
import { type ErrorCode, KeywardError, type WriteErrorBody } from '../kernel/errors.ts';
import { BODY_BYTES_MAX } from '../kernel/json/json.ts';
import type { RouteResponse } from '../kernel/route.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { validateBatch } from './batch.ts';
import { Caller, type Callers } from './callers.ts';
import type { Form, Matched, ParsedValidation } from './forms.ts';
import type { Upstream } from './upstream.ts';
import { type EdgeValidator, unavailable } from './validator.ts';

interface Parts {
  readonly callers: Callers;
  readonly validator: EdgeValidator;
  readonly upstream: Upstream;
  readonly overload: Overload;
  readonly refusals: RefusalResponses;
  readonly errorBody: WriteErrorBody;
  readonly nextRequestId: () => string;
  readonly isTrusting: boolean;
  /** Null if no header is read. */
  readonly clientIPHeader: ClientIPHeader | null;
  /** Health, readiness and metrics; null for other paths. */
  readonly probe: (method: string, path: string) => RouteResponse | Promise<RouteResponse> | null;
  readonly errorResponse: (error: unknown, requestId: string) => RouteResponse;
}

const TOO_MANY_CALLERS =
  'This edge already serves 16 access keys. Use one of them, or start another edge.';

/**
 * Handles every request that the hot path does not. Makes the same checks as the server, in the same order.
 */
export class EdgeRouter {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const requestId = this.#parts.nextRequestId();
    this.#respond(request, requestId)
      .catch((error: unknown) => {
        // The client disconnected while it was sending the body.
        if (request.errored) throw error;
        return this.#parts.errorResponse(error, requestId);
      })
      .then((result) => send(request, response, requestId, result))
      .catch(() => response.destroy());
  }

  async #respond(request: IncomingMessage, requestId: string): Promise<RouteResponse> {
    rejectAmbiguous(request);
    const url = request.url!;
    const probed = this.#parts.probe(request.method!, url.split('?', 1)[0]!);
    if (probed !== null) return probed;
    // Loaded with the first request that needs it: simple validations need no schemas.
    const { formOf } = await import('./forms.ts');
    const matched = formOf(request.method!, url);
    if (matched === null) throw new KeywardError('edge_only_validates');
    return this.#validate(request, matched, requestId);
  }

  async #validate(
    request: IncomingMessage,
    { form, rest, query }: Matched,
    requestId: string,
  ): Promise<RouteResponse> {
    const { headers } = request;
    const caller = await this.#callerOf(headers, form);
    if (!(caller instanceof Caller)) return caller;
    const { overload } = this.#parts;
    if (overload.isFullFor(caller.accessKey)) throw overload.refusal();
    overload.hold(caller.accessKey);
    try {
      const bytes = request.method === 'GET' ? NOTHING : await bodyOf(request);
      const body = readJsonBody(bytes, headers['content-type'], form.takesBody);
      const { clientIPHeader } = this.#parts;
      const peer = request.socket.remoteAddress;
      const parsed = form.read({ headers, peer, clientIPHeader, rest, query, body });
      return await this.#decide(caller, parsed, request, requestId);
    } finally {
      overload.release(caller.accessKey);
    }
  }

  /** A `RouteResponse` is the server's refusal of the access key. */
  async #callerOf(headers: IncomingHttpHeaders, form: Form): Promise<Caller | RouteResponse> {
    const { callers, overload, isTrusting } = this.#parts;
    if (overload.shedding) throw overload.refusal();
    // An access key in a request of a gateway may come from the gateway's client, so it is ignored.
    const isAnonymous = headers['x-api-key'] === undefined && headers.authorization === undefined;
    if (isTrusting && (form.isGateway || isAnonymous)) return callers.own;
    const hidesErrors = form.isGateway && hidesOwnErrors(headers);
    try {
      const credential = credentialIn(headers, form.isGateway && GATEWAY_CREDENTIAL);
      const caller = callers.get(credential) ?? (await callers.admit(credential));
      if (caller === 'full') throw overload.refusal(TOO_MANY_CALLERS);
      if (!(caller instanceof Caller) && hidesErrors) throw unavailable(caller.body);
      return caller;
    } catch (error) {
      const isAboutCaller = error instanceof KeywardError && error.status === 401;
      throw hidesErrors && isAboutCaller ? unavailable(error) : error;
    }
  }

  async #decide(
    caller: Caller,
    parsed: ParsedValidation,
    request: IncomingMessage,
    requestId: string,
  ): Promise<RouteResponse> {
    const { validator, refusals, errorBody } = this.#parts;
    const writeError = (code: ErrorCode) => errorBody(code, requestId);
    if (parsed.kind === 'batch') return validateBatch(validator, caller, parsed.batch);
    const { value, conditions } = parsed;
    if (parsed.kind === 'gateway' && value === '')
      return gatewayResponse('key_missing', parsed.statuses, writeError, 0);
    const forward =
      parsed.kind === 'gateway'
        ? () => this.#forwardGateway(caller, value, conditions, request)
        : undefined;
    const verdict = await validator.validate(caller, value, conditions, forward);
    if (verdict.kind === 'forwarded') return verdict.response;
    const now = verdict.time ?? systemClock();
    if (parsed.kind === 'gateway')
      return gatewayResponse(verdict, parsed.statuses, writeError, now);
    return verdict.kind === 'valid'
      ? acceptanceResponse(verdict, now)
      : refusals.of(verdict, requestId, now);
  }

  async #forwardGateway(
    { accessKey }: Caller,
    value: string,
    { clientIP }: Conditions,
    { url, headers }: IncomingMessage,
  ): Promise<RouteResponse> {
    const response = await this.#parts.upstream.send({
      method: 'GET',
      path: withAddress(url!, clientIP),
      headers: {
        [GATEWAY_CREDENTIAL]: accessKey,
        'x-keyward-key': value,
        ...headerIfSent(headers, 'x-keyward-permission'),
        ...headerIfSent(headers, 'x-origin-domain'),
      },
    });
    // A response with this header is about the user's key, not about the access key. A proxy may have changed
    // the case of the header.
    if (response.headers.some((name) => name.toLowerCase() === 'x-keyward-code')) return response;
    this.#parts.validator.dropIfRefused(accessKey, response);
    if ([401, 403].includes(response.status) && hidesOwnErrors(headers))
      throw unavailable(response.body);
    return response;
  }
}

/** The server reads the header only from its own trusted proxies, so the address is sent in the query. */
function withAddress(url: string, address: Address | null): string {
  if (address === null || new URL(url, 'http://edge').searchParams.has('ip')) return url;
  return `${url}${url.includes('?') ? '&' : '?'}ip=${addressText(address)}`;
}

const NOTHING = Buffer.alloc(0);

/** Whether a gateway requests a 503 for errors about its own access key or the edge's. */
const hidesOwnErrors = (headers: IncomingHttpHeaders): boolean =>
  headers['x-keyward-own-errors'] === '503';

const headerIfSent = (headers: IncomingHttpHeaders, name: string): Record<string, string> =>
  headers[name] === undefined ? {} : { [name]: String(headers[name]) };

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX)
    throw new KeywardError('body_too_large');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new KeywardError('body_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Sends a response with the headers that the server's router adds to every response. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  { status, headers, body, encoding = 'utf8', onDone }: RouteResponse,
): void {
  if (onDone) onResponseEnd(response, onDone);
  response.setHeader('x-request-id', requestId);
  response.setHeader('cache-control', 'no-store');
  response.setHeader(...NO_SNIFFING);
  for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!);
  if (!response.hasHeader('content-length'))
    response.setHeader('content-length', Buffer.byteLength(body));
  // If the connection stayed open, the unread rest of a rejected request would be read as the next request.
  if (!request.complete) response.shouldKeepAlive = false;
  response.writeHead(status).end(request.method === 'HEAD' ? '' : body, encoding);
}
