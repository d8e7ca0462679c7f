import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection. A client that pipelines more is disconnected. */
const QUEUED_MAX = 100;

type Exchange = readonly [IncomingMessage, ServerResponse];

interface Pipeline {
  current: Exchange;
  readonly queued: Exchange[];
  /** Called after the last response. */
  afterLast?: () => void;
}

/**
 * Processes the requests of a connection one after the other. Node starts all requests that a client
 * has pipelined, and keeps their responses in memory until they are read. Here a request starts only
 * after the whole previous response has been handed to the kernel.
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
      this.#pipelines.set(request.socket, { current: [request, response], queued: [] });
      this.#start(request, response);
    } else if (pipeline.queued.length < QUEUED_MAX) pipeline.queued.push([request, response]);
    else request.socket.destroy();
  };

  /**
   * Handles bytes that Node could not parse. `reject` sends an error after the responses to all earlier
   * requests. If the bytes are part of the body of a request, the error is the response to that request.
   */
  rejectRest(socket: Socket, reject: () => void): void {
    const pipeline = this.#pipelines.get(socket);
    if (pipeline === undefined) {
      reject();
      return;
    }
    const { current, queued } = pipeline;
    const [last, response] = queued.at(-1) ?? current;
    if (last.complete) pipeline.afterLast = reject;
    else if (queued.pop() !== undefined) pipeline.afterLast = reject;
    // Nothing else may be written after part of a response.
    else if (response.headersSent) socket.destroy();
    else reject();
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
      pipeline.afterLast?.();
      return;
    }
    pipeline.current = next;
    this.#start(...next);
  }
}
