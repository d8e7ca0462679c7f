import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection. A client that pipelines more is disconnected. */
const QUEUED_MAX = 100;

interface Pipeline {
  current: ServerResponse;
  readonly queued: [IncomingMessage, ServerResponse][];
}

/**
 * Processes the requests of a connection one after the other. Node starts all requests that a client
 * has pipelined, and keeps their responses in memory until they are read. Here a request starts when
 * the response before it has been handed to the kernel whole.
 */
export class SequentialRequests {
  readonly #handle: RequestListener;
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  constructor(handle: RequestListener) {
    this.#handle = handle;
  }

  readonly listener: RequestListener = (request, response) => {
    const pipeline = this.#pipelines.get(request.socket);
    if (pipeline === undefined) {
      this.#pipelines.set(request.socket, { current: response, queued: [] });
      this.#start(request, response);
    } else if (pipeline.queued.length < QUEUED_MAX) pipeline.queued.push([request, response]);
    else request.socket.destroy();
  };

  /** Whether part of a response has been sent, so that nothing else may be written. */
  isResponding(socket: Socket): boolean {
    return this.#pipelines.get(socket)?.current.headersSent ?? false;
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => this.#next(request.socket));
    this.#handle(request, response);
  }

  #next(socket: Socket): void {
    const pipeline = this.#pipelines.get(socket)!;
    const next = pipeline.queued.shift();
    if (next === undefined || !socket.writable) {
      this.#pipelines.delete(socket);
      return;
    }
    pipeline.current = next[1];
    this.#start(...next);
  }
}
