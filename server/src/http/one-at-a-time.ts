import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection. A client that pipelines more is cut off. */
const QUEUED_MAX = 100;

interface Line {
  current: ServerResponse;
  readonly queued: [IncomingMessage, ServerResponse][];
}

/**
 * Answers the requests of a connection one after the other. Node starts all requests that a client
 * has pipelined, and keeps their responses in memory until they are read. Here a request starts when
 * the response before it has been handed to the kernel whole.
 */
export class OneAtATime {
  readonly #handle: RequestListener;
  readonly #lines = new WeakMap<Socket, Line>();

  constructor(handle: RequestListener) {
    this.#handle = handle;
  }

  readonly listener: RequestListener = (request, response) => {
    const line = this.#lines.get(request.socket);
    if (line === undefined) {
      this.#lines.set(request.socket, { current: response, queued: [] });
      this.#start(request, response);
    } else if (line.queued.length < QUEUED_MAX) line.queued.push([request, response]);
    else request.socket.destroy();
  };

  /** Whether part of a response has been sent, so that nothing else may be written. */
  isAnswering(socket: Socket): boolean {
    return this.#lines.get(socket)?.current.headersSent ?? false;
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => this.#next(request.socket));
    this.#handle(request, response);
  }

  #next(socket: Socket): void {
    const line = this.#lines.get(socket)!;
    const next = line.queued.shift();
    if (next === undefined || !socket.writable) {
      this.#lines.delete(socket);
      return;
    }
    line.current = next[1];
    this.#start(...next);
  }
}
