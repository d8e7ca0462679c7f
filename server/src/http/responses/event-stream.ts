import type { FastifyReply } from 'fastify';
import type { Streamed } from '../../kernel/route.ts';
import { NO_SNIFFING } from './no-sniffing.ts';

/** Time for the client to receive the last event before the connection is closed. */
const LAST_EVENT_MS = 1_000;

/** Responds with server-sent events. */
export function sendEvents(reply: FastifyReply, { start }: Streamed): FastifyReply {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    [NO_SNIFFING[0]]: NO_SNIFFING[1],
    'x-request-id': reply.request.id,
    // Otherwise nginx collects events until its buffer is full.
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  raw.flushHeaders();
  // Small writes must not wait for each other.
  raw.socket?.setNoDelay(true);
  raw.on('error', () => raw.destroy());
  const sink = {
    write(text: string) {
      if (!raw.writableEnded) raw.write(text);
    },
    end(text: string) {
      if (raw.writableEnded) return;
      raw.end(text);
      setTimeout(() => raw.destroy(), LAST_EVENT_MS).unref();
    },
    destroy: () => raw.destroy(),
    onClose: (listener: () => void) => raw.once('close', listener),
    get unreadBytes() {
      return raw.writableLength;
    },
  };
  try {
    start(sink);
  } catch (error) {
    raw.destroy();
    throw error;
  }
  return reply;
}
