import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Asked, keysInBody, PLAIN_VALUE } from './keys-in-body.ts';
import { ResponseOutlet } from './outlet.ts';
import { plainHeaders } from './plain-headers.ts';
import type { Validations } from './validations.ts';

const IN_PATH = '/api-keys/auth/';
const IN_BODY = '/api-keys/auth';

/**
 * For connections that Node's parser reads, since something else came over them too: ordinary
 * validations are answered ahead of the router, and the rest is left to `otherwise`.
 */
export function answeringFirst(
  validations: Validations,
  otherwise: RequestListener,
): RequestListener {
  function answers(
    request: IncomingMessage,
    response: ServerResponse,
    asked: Asked,
    isFromBody: boolean,
  ): boolean {
    const headers = plainHeaders(request.rawHeaders);
    if (headers === null || !headers.hasHost || (headers.hasBody && !isFromBody)) return false;
    const { credential, origin } = headers;
    const outlet = new ResponseOutlet(response);
    return validations.answer({ credential, origin, asked }, outlet) === 'answered';
  }

  return (request, response) => {
    const url = request.url!;
    if (request.method !== 'POST' || !url.startsWith(IN_BODY)) {
      otherwise(request, response);
      return;
    }
    if (url === IN_BODY) {
      keysInBody(
        request,
        (asked) => answers(request, response, asked, true),
        () => otherwise(request, response),
      );
      return;
    }
    const value = url.slice(IN_PATH.length);
    const isPlain = url.startsWith(IN_PATH) && PLAIN_VALUE.test(value);
    if (!isPlain || !answers(request, response, value, false)) otherwise(request, response);
  };
}
