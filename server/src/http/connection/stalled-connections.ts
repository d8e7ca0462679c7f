import type { Server, Socket } from 'node:net';

interface Watched {
  /** Bytes the kernel had taken at the last check; null when nothing was left to send. */
  sentBytes: number | null;
  since: number;
}

/** Closes connections of a server whose clients have stopped reading a response. */
export class StalledConnections {
  readonly #watched = new Map<Socket, Watched>();
  readonly #stalledMs: number;

  constructor(server: Server, stalledMs: number) {
    this.#stalledMs = stalledMs;
    server.on('connection', (socket: Socket) => {
      this.#watched.set(socket, { sentBytes: null, since: 0 });
      socket.once('close', () => this.#watched.delete(socket));
    });
  }

  /** To be called every few seconds. `now` is monotonic, in milliseconds. */
  check(now: number): void {
    for (const [socket, watched] of this.#watched) {
      const sentBytes = socket.writableLength === 0 ? null : sentBytesOf(socket);
      if (sentBytes === null || sentBytes !== watched.sentBytes) {
        watched.sentBytes = sentBytes;
        watched.since = now;
      } else if (now - watched.since >= this.#stalledMs) socket.destroy();
    }
  }
}

/**
 * Bytes that the kernel has taken. The documented counters of a socket change only after a whole
 * write, which can take minutes for a large response and a slow client. The counters of its handle
 * change while bytes are sent.
 */
export function sentBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as SocketWithHandle;
  return handle
    ? handle.bytesWritten - handle.writeQueueSize
    : socket.bytesWritten - socket.writableLength;
}

type SocketWithHandle = Socket & {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
};
