import type { Duplex } from 'node:stream';
import { type ErrorBody, type ErrorCode, reasonOf } from '../../kernel/errors.ts';
import { NO_SNIFFING_LINE } from '../responses/no-sniffing.ts';

const UNREADABLE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Responds to bytes that Node could not parse. There is no request object, so the response is written by hand. */
export function rejectUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  errorBody: (code: ErrorCode) => Pick<ErrorBody, 'statusCode'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(UNREADABLE[error.code ?? ''] ?? 'invalid_request');
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${body.statusCode} ${reasonOf(body.statusCode)}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\n${NO_SNIFFING_LINE}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
