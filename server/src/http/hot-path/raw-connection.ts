import type { Socket } from 'node:net';
import type { HotPath } from './hot-path.ts';
import { type ParsedHead, type ParsedRequest, parseRequest } from './request-parser.ts';
import type { ResponseText } from './response-text.ts';
import { type ResponseWriter, SocketResponseWriter } from './response-writer.ts';

const NOTHING = Buffer.alloc(0);

/** The server that accepted the connection, as the connection sees it. */
export interface ConnectionOwner {
  readonly handler: HotPath;
  readonly responseText: ResponseText;
  /** False when the server is stopping or not ready: then Node's parser reads further requests. */
  acceptsRequests(): boolean;
  /** Passes the connection to Node's parser permanently. */
  handOver(socket: Socket): void;
  /** This connection is closed or handed over: the owner forgets it. */
  forget(connection: RawConnection): void;
  /** Reports an unexpected error; the connection is closed. */
  onError(error: unknown): void;
}

/**
 * A connection that has carried only simple validations so far, each complete in one chunk. They are
 * read and answered without Node's parser, request and response objects. At the first other request,
 * the connection is handed to Node's parser with all unread bytes.
 *
 * idle ──validation──▶ answered ──▶ idle, or the next request in the chunk
 *      ──validation──▶ waiting (for the access key, a row or a counter) ──▶ answered
 *      ──anything else──▶ handed over
 *
 * No request starts while another is pending, or while the client has not read the responses.
 */
export class RawConnection {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #writer: ResponseWriter;
  #head: ParsedHead | null = null;
  /** Bytes received and not yet parsed. */
  #unread: Buffer = NOTHING;
  #isWaiting = false;
  /** The buffer of the socket is full, because the client has not read the responses. */
  #isFull = false;
  /** The client has closed its side. */
  #hasEnded = false;
  #isAdvancing = false;
  /** Handed over or closing: no further request is read here. */
  #isOver = false;
  /** Monotonic, in milliseconds. */
  idleSince = performance.now();
  hasResponded = false;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    this.#writer = new SocketResponseWriter(owner.responseText, this.#write, () =>
      socket.destroy(),
    );
    socket.on('data', this.#read).on('end', this.#end).on('error', this.#fail);
    socket.on('close', this.#close).on('drain', this.#drained);
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** No request is pending, and all responses have been sent. */
  get isIdle(): boolean {
    return !this.#isWaiting && !this.#isFull;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /**
   * Closes once all responses are sent. Reads and drops further bytes: unread bytes would reset the connection.
   */
  closeSoon(): void {
    const socket = this.#socket;
    if (socket.writableEnded) return;
    this.#isOver = true;
    socket.off('data', this.#read).resume().destroySoon();
  }

  #read = (chunk: Buffer): void => {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    this.#advance();
  };

  /** Serves as many requests as possible, then resumes or pauses reading. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      while (this.isIdle && this.#unread.length > 0 && !this.#isOver) this.#takeOne();
    } catch (error) {
      this.#owner.onError(error);
      this.#socket.destroy();
    }
    this.#isAdvancing = false;
    if (this.#isOver) return;
    const socket = this.#socket;
    if (this.isIdle) {
      if (socket.isPaused()) socket.resume();
      if (this.#hasEnded) socket.end();
    } else if (this.#isFull || this.#unread.length > 0) socket.pause();
    // Otherwise nothing follows the pending request: pausing and resuming would cost more than it saves.
  }

  #takeOne(): void {
    const chunk = this.#unread;
    const request = this.#owner.acceptsRequests() ? parseRequest(chunk, this.#head) : null;
    if (request === null) {
      this.#handOver();
      return;
    }
    this.#head = request.head;
    this.#isWaiting = true;
    // `#handle` may write the response before it returns.
    const outcome = this.#handle(request);
    if (outcome === 'not-handled') this.#handOver();
    else if (outcome === 'unknown-caller') this.#loadCaller(request);
    else this.#unread = chunk.subarray(request.length);
  }

  #handle({ head, keys }: ParsedRequest) {
    const { credential, origin, traceparent } = head;
    return this.#owner.handler.handle({ credential, origin, traceparent, keys }, this.#writer);
  }

  /** Needed once per access key, which is cached from then on. */
  #loadCaller(request: ParsedRequest): void {
    this.#owner.handler
      .loadCaller(request.head.credential, this.#socket.remoteAddress)
      // The router tries again and reports the error.
      .catch(() => false)
      .then((isKnown) => {
        if (this.#socket.destroyed) return;
        const chunk = this.#unread;
        this.#unread = chunk.subarray(request.length);
        if (isKnown && this.#handle(request) === 'handled') return;
        this.#unread = chunk;
        this.#handOver();
      })
      .catch((error: unknown) => {
        this.#owner.onError(error);
        this.#socket.destroy();
      });
  }

  #write = (text: string, encoding: 'latin1' | 'utf8', onDone?: () => void): void => {
    this.#isWaiting = false;
    this.hasResponded = true;
    this.idleSince = performance.now();
    const socket = this.#socket;
    if (!socket.writable) return void onDone?.();
    if (!socket.write(text, encoding, onDone)) this.#isFull = true;
    this.#advance();
  };

  #drained = (): void => {
    this.#isFull = false;
    this.idleSince = performance.now();
    this.#advance();
  };

  #handOver(): void {
    this.#isOver = true;
    const socket = this.#socket;
    socket.off('data', this.#read).off('end', this.#end).off('error', this.#fail);
    socket.off('close', this.#close).off('drain', this.#drained);
    this.#owner.forget(this);
    this.#owner.handOver(socket);
    // Node's parser receives the unread bytes as if they had just arrived.
    socket.emit('data', this.#unread);
    if (this.#hasEnded) socket.emit('end');
    else socket.resume();
  }

  /** The client may still be waiting for a response. */
  #end = (): void => {
    this.#hasEnded = true;
    this.#advance();
  };

  #fail = (): void => {
    this.#socket.destroy();
  };

  #close = (): void => this.#owner.forget(this);
}
