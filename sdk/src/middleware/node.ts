import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  createGuard,
  type GuardOptions,
  type KeyValidator,
  type Protected,
  whenDecided,
} from './guard.ts';
import { nodeReader } from './request-readers.ts';

export interface ProtectOptions extends GuardOptions<IncomingMessage> {
  /** Handles errors thrown by your functions in these options; it must send the response. Default: a 500. */
  readonly onError?:
    | ((error: unknown, request: IncomingMessage, response: ServerResponse) => void)
    | undefined;
}

type Handler = (request: Protected<IncomingMessage>, response: ServerResponse) => void;

/**
 * Wraps a listener so that only requests with a valid key reach it.
 *
 * ```ts
 * createServer(protect(keyward)((request, response) => response.end(request.keyward.record?.name)));
 * ```
 */
export function protect(keyward: KeyValidator, options: ProtectOptions = {}) {
  const guard = createGuard(keyward, nodeReader, options);
  const onError = options.onError ?? sendFailure;
  return (handler: Handler): RequestListener =>
    (request, response) => {
      whenDecided(
        guard,
        request,
        (decision) => {
          if (!decision.passed) {
            send(
              response,
              decision.response.status,
              decision.response.headers,
              decision.response.body,
            );
            return;
          }
          for (const [name, value] of Object.entries(decision.headers)) {
            response.setHeader(name, value);
          }
          handler(Object.assign(request, { keyward: decision.keyward }), response);
        },
        (error) => onError(error, request, response),
      );
    };
}

const sendFailure = (_: unknown, __: IncomingMessage, response: ServerResponse) =>
  send(
    response,
    500,
    {},
    {
      statusCode: 500,
      message: 'Something went wrong.',
      error: 'Internal Server Error',
      code: 'internal_error',
    },
  );

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

export type { Admitted, Protected } from './guard.ts';
