import type { ServerResponse } from 'node:http';
import { type ErrorCode, errorBody } from '../../kernel/errors.ts';

/** As the thread with the router would say it, for what never reaches that one. */
export function answerError(
  response: ServerResponse,
  code: ErrorCode,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = errorBody(code, requestId);
  const text = JSON.stringify(body);
  response.writeHead(body.statusCode, {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
