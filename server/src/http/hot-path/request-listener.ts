import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { repeatedHeader } from '../gate/credentials.ts';
import type { HotPath } from './hot-path.ts';
import { NodeResponseWriter } from './response-writer.ts';
import { PLAIN_VALUE, type RequestedKeys, readBody } from './validation-body.ts';

const IN_PATH = '/api-keys/auth/';
const IN_BODY = '/api-keys/auth';

/**
 * For connections that Node's parser reads: handles simple validations before the router, and passes
 * every other request to `router`.
 */
export function validationsFirst(handler: HotPath, router: RequestListener): RequestListener {
  function handles(
    request: IncomingMessage,
    response: ServerResponse,
    keys: RequestedKeys,
    isFromBody: boolean,
  ): boolean {
    const headers = scanHeaders(request.rawHeaders);
    if (headers === null || !headers.hasHost || (headers.hasBody && !isFromBody)) return false;
    const { credential, origin, traceparent } = headers;
    const writer = new NodeResponseWriter(response);
    return handler.handle({ credential, origin, traceparent, keys }, writer) === 'handled';
  }

  return (request, response) => {
    const url = request.url!;
    if (request.method !== 'POST' || !url.startsWith(IN_BODY)) {
      router(request, response);
      return;
    }
    if (url === IN_BODY) {
      readBody(
        request,
        (keys) => handles(request, response, keys, true),
        () => router(request, response),
      );
      return;
    }
    const value = url.slice(IN_PATH.length);
    const isPlain = url.startsWith(IN_PATH) && PLAIN_VALUE.test(value);
    if (!isPlain || !handles(request, response, value, false)) router(request, response);
  };
}

/** The headers that a validation needs. */
interface ScannedHeaders {
  readonly credential: string;
  readonly origin: string | undefined;
  readonly traceparent: string | undefined;
  readonly hasHost: boolean;
  readonly hasBody: boolean;
}

/**
 * Reads `rawHeaders`, because `request.headers` builds an object of all of them first.
 * Null when a header is repeated that must be unique, when the access key is in `Authorization`, or when
 * the caller also claims to be the operator.
 */
function scanHeaders(rawHeaders: readonly string[]): ScannedHeaders | null {
  if (repeatedHeader(rawHeaders) !== undefined) return null;
  let credential = '';
  let origin: string | undefined;
  let traceparent: string | undefined;
  let [hasHost, hasBody, hasAuthorization] = [false, false, false];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!;
    if (name === 'transfer-encoding') hasBody = true;
    else if (name === 'traceparent') traceparent = value;
    else if (name === 'x-api-key') credential = value;
    else if (name === 'x-keyward-operator') return null;
    else if (name === 'authorization') hasAuthorization = true;
    else if (name === 'host') hasHost = true;
    else if (name === 'x-origin-domain') origin = value;
    else if (name === 'content-length' && value !== '0') hasBody = true;
  }
  if (credential === '' && hasAuthorization) return null;
  return { credential, origin, traceparent, hasHost, hasBody };
}
