import type { Socket } from 'node:net';
import type { AnswerTexts } from './answer-text.ts';
import { type Outlet, TextOutlet } from './outlet.ts';
import { type PlainHead, type PlainRequest, plainRequest } from './plain-request.ts';
import type { Validations } from './validations.ts';

const NOTHING = Buffer.alloc(0);

/** What a connection needs of the server that accepted it. */
export interface ForConnection {
  readonly validations: Validations;
  readonly texts: AnswerTexts;
  /** False: no further request is to come over this connection. */
  isTaking(): boolean;
  /** Has Node's parser read the connection from now on. */
  handOver(socket: Socket): void;
  closed(connection: StraightConnection): void;
  /** An error that nothing else caught: the connection is closed. */
  onError(error: unknown): void;
}

/**
 * A connection over which only ordinary validations came so far, each whole in one piece: they are
 * read and answered without Node's parser, its request and its response. The first request that is
 * anything else is handed over with the connection, untouched and for good.
 *
 * idle ──validation──▶ answered ──▶ idle, or the next request of the piece
 *      ──validation──▶ waiting (for the access key, a row or a counter) ──▶ answered
 *      ──anything else──▶ handed over
 *
 * No request starts while another is waited for, or while the client has not read the responses.
 */
export class StraightConnection {
  readonly #socket: Socket;
  readonly #server: ForConnection;
  readonly #outlet: Outlet;
  #head: PlainHead | null = null;
  /** Bytes that came and have not been looked at. */
  #unread: Buffer = NOTHING;
  #isWaiting = false;
  /** The client has not read the responses. */
  #isFull = false;
  /** The client sends nothing more. */
  #hasEnded = false;
  #isAdvancing = false;
  /** Handed over, or about to close: no further request is for here. */
  #isOver = false;
  /** In milliseconds that never run backwards. */
  quietSince = performance.now();
  hasAnswered = false;

  constructor(socket: Socket, server: ForConnection) {
    this.#socket = socket;
    this.#server = server;
    this.#outlet = new TextOutlet(server.texts, this.#write, () => socket.destroy());
    socket.on('data', this.#read).on('end', this.#end).on('error', this.#fail);
    socket.on('close', this.#close).on('drain', this.#drained);
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Nothing is waited for, and what was answered has left. */
  get isIdle(): boolean {
    return !this.#isWaiting && !this.#isFull;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** When all that was answered is on its way. What else comes is let go: unread, it would reset that. */
  closeSoon(): void {
    const socket = this.#socket;
    if (socket.writableEnded) return;
    this.#isOver = true;
    socket.off('data', this.#read).resume().destroySoon();
  }

  #read = (piece: Buffer): void => {
    this.#unread = this.#unread.length === 0 ? piece : Buffer.concat([this.#unread, piece]);
    this.#advance();
  };

  /** Answers as many requests as it can, then reads on or stops reading. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      while (this.isIdle && this.#unread.length > 0 && !this.#isOver) this.#takeOne();
    } catch (error) {
      this.#server.onError(error);
      this.#socket.destroy();
    }
    this.#isAdvancing = false;
    if (this.#isOver) return;
    const socket = this.#socket;
    if (this.isIdle) {
      if (socket.isPaused()) socket.resume();
      if (this.#hasEnded) socket.end();
    } else if (this.#isFull || this.#unread.length > 0) socket.pause();
    // Else nothing has come behind a request that is waited for: not worth pausing and resuming.
  }

  #takeOne(): void {
    const piece = this.#unread;
    const request = this.#server.isTaking() ? plainRequest(piece, this.#head) : null;
    if (request === null) {
      this.#handOver();
      return;
    }
    this.#head = request.head;
    this.#isWaiting = true;
    // A response may be written before this returns.
    const outcome = this.#answer(request);
    if (outcome === 'unusual') this.#handOver();
    else if (outcome === 'stranger') this.#learn(request);
    else this.#unread = piece.subarray(request.length);
  }

  #answer({ head, asked }: PlainRequest) {
    const { credential, origin } = head;
    return this.#server.validations.answer({ credential, origin, asked }, this.#outlet);
  }

  /** Once for each access key: it is in memory from then on. */
  #learn(request: PlainRequest): void {
    this.#server.validations
      .learn(request.head.credential)
      // What went wrong is told by the long way, which asks again.
      .catch(() => false)
      .then((isKnown) => {
        if (this.#socket.destroyed) return;
        const piece = this.#unread;
        this.#unread = piece.subarray(request.length);
        if (isKnown && this.#answer(request) === 'answered') return;
        this.#unread = piece;
        this.#handOver();
      })
      .catch((error: unknown) => {
        this.#server.onError(error);
        this.#socket.destroy();
      });
  }

  #write = (text: string, encoding: 'latin1' | 'utf8', onDone?: () => void): void => {
    this.#isWaiting = false;
    this.hasAnswered = true;
    this.quietSince = performance.now();
    const socket = this.#socket;
    if (!socket.writable) return void onDone?.();
    if (!socket.write(text, encoding, onDone)) this.#isFull = true;
    this.#advance();
  };

  #drained = (): void => {
    this.#isFull = false;
    this.quietSince = performance.now();
    this.#advance();
  };

  #handOver(): void {
    this.#isOver = true;
    const socket = this.#socket;
    socket.off('data', this.#read).off('end', this.#end).off('error', this.#fail);
    socket.off('close', this.#close).off('drain', this.#drained);
    this.#server.closed(this);
    this.#server.handOver(socket);
    // As if they came only now.
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

  #close = (): void => this.#server.closed(this);
}
