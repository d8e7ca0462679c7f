import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  createGuard,
  type Decision,
  type GuardOptions,
  type KeyValidator,
  type Protected,
  whenDecided,
} from './guard.ts';
import type { RefusalResponse } from './refusal.ts';
import { nodeReader } from './request-readers.ts';

export interface ProtectOptions extends GuardOptions<IncomingMessage> {
  /**
   * Handles errors thrown by your functions in these options, and responses of `response` that cannot be
   * sent; it must send a response itself. Default: sends a 500.
   */
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
      const apply = (decision: Decision): boolean => {
        // The application has responded meanwhile, for example because of a timeout of its own.
        if (response.writableEnded) return false;
        if (!decision.passed) {
          send(response, decision.response);
          return false;
        }
        for (const [name, value] of Object.entries(decision.headers)) {
          response.setHeader(name, value);
        }
        Object.assign(request, { keyward: decision.keyward });
        return true;
      };
      void whenDecided(guard, request, apply, (error) => {
        if (error) onError(error, request, response);
        else handler(request as Protected<IncomingMessage>, response);
      });
    };
}

const FAILURE: RefusalResponse = {
  status: 500,
  headers: {},
  body: {
    statusCode: 500,
    message: 'Something went wrong.',
    error: 'Internal Server Error',
    code: 'internal_error',
  },
};

function sendFailure(_: unknown, __: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else send(response, FAILURE);
}

function send(response: ServerResponse, { status, headers, body }: RefusalResponse): void {
  // Serialized before the headers are sent, so that a body that cannot be JSON becomes a 500.
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(text);
}

export type { Admitted, Protected } from './guard.ts';
