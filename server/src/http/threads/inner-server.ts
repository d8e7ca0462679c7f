import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { CALLER_HEADER } from './forward.ts';

const handingOver = new WeakSet<Socket>();

/** Whether another thread handed it over. */
export const isHandedOver = ({ socket }: IncomingMessage): boolean => handingOver.has(socket);

/**
 * Where the other threads of this process hand their requests in. Its socket lies in a folder that
 * only this user may enter, so that what it says of a caller can be believed.
 */
export function createInnerServer(answer: RequestListener): Server {
  const server = createServer(
    {
      // The threads ask, and hold their connections as long as they like; who is slow is their
      // caller, and they end that.
      keepAliveTimeout: 0,
      headersTimeout: 0,
      requestTimeout: 0,
      maxHeaderSize: 32 * 1024,
      requireHostHeader: false,
    },
    (request, response) => {
      // One request at a time is under way on a connection: it is the caller's for so long.
      const value = request.headers[CALLER_HEADER] || undefined;
      Object.defineProperty(request.socket, 'remoteAddress', { value, configurable: true });
      delete request.headers[CALLER_HEADER];
      answer(request, response);
    },
  );
  return server.on('connection', (socket) => handingOver.add(socket));
}
