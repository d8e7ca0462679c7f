import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorBody, reasonOf } from '../kernel/errors.ts';
import { readAsGatewayCall } from './gateway-call.ts';
import type { FastPath } from './hot-path/fast-path.ts';

export const KEEP_ALIVE_MS = 75_000;

/**
 * The server that faces callers, on whichever thread. Timeouts against slow senders: Node looks at
 * them only every `connectionsCheckingInterval`, 30 s by default, which would make 10 s mean up to 40.
 */
export function createNodeServer(fastPath: FastPath, otherwise: RequestListener): Server {
  const answer = fastPath((request, response) => {
    readAsGatewayCall(request);
    otherwise(request, response);
  });
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16 * 1024,
      // Node would answer without a body; the gate says what is missing.
      requireHostHeader: false,
    },
    answer,
  );
  // Expectations other than 100-continue may be passed over; Node would answer without a body.
  return server.on('checkExpectation', answer);
}

const UNREADABLE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What Node could not read as HTTP: answered by hand, since there is no request to answer. */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  requestId: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(UNREADABLE[error.code ?? ''] ?? 'invalid_request', requestId);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${body.statusCode} ${reasonOf(body.statusCode)}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
