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
}

/**
 * A connection over which only ordinary validations came so far, each whole in one piece: they are
 * read and answered without Node's parser, its request and its response. What is anything else is
 * handed over with the connection, untouched and for good.
 *
 * idle ──validation──▶ answered ──▶ the next of the piece, or idle
 *      ──validation──▶ waiting (for the access key, a row or a counter) ──▶ the same
 *      ──anything else──▶ handed over
 */
export class StraightConnection {
  readonly #socket: Socket;
  readonly #server: ForConnection;
  readonly #outlet: Outlet;
  #head: PlainHead | null = null;
  /** What came behind a request that is waited for; null while none is. */
  #rest: Buffer | null = null;
  #isWaiting = false;
  #isFull = false;
  #hasEnded = false;
  /** In milliseconds that never run backwards. */
  quietSince = performance.now();
  hasAnswered = false;

  constructor(socket: Socket, server: ForConnection) {
    this.#socket = socket;
    this.#server = server;
    this.#outlet = new TextOutlet(server.texts, this.#write);
    socket.on('data', this.#read).on('end', this.#end).on('error', this.#fail);
    socket.on('close', this.#close);
  }

  get isIdle(): boolean {
    return !this.#isWaiting;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** When all that was answered is on its way. What else comes is let go: unread, it would reset that. */
  closeSoon(): void {
    const socket = this.#socket;
    if (!socket.writableEnded) socket.off('data', this.#read).resume().destroySoon();
  }

  #read = (piece: Buffer): void => {
    // A second request has to wait for the answer to the first.
    if (this.#rest !== null) {
      this.#pauseWith(Buffer.concat([this.#rest, piece]));
      return;
    }
    const rest = this.#answerFrom(piece);
    if (rest === null) return;
    if (!this.#isWaiting) {
      if (this.#hasEnded) this.#socket.end();
    } else if (rest.length > 0) this.#pauseWith(rest);
    // Who waits for the answer before they ask again is not worth pausing and resuming.
    else this.#rest = NOTHING;
  };

  /** What is left behind the last request that was answered, or is waited for; null: nothing is for here. */
  #answerFrom(piece: Buffer): Buffer | null {
    let rest = piece;
    do {
      const request = this.#server.isTaking() ? plainRequest(rest, this.#head) : null;
      this.#isWaiting = true;
      const outcome = request === null ? 'unusual' : this.#answer(request);
      if (request === null || outcome === 'unusual') {
        this.#handOver(rest);
        return null;
      }
      this.#head = request.head;
      if (outcome === 'stranger') {
        this.#learn(request, rest);
        return null;
      }
      rest = rest.subarray(request.length);
    } while (rest.length > 0 && !this.#isWaiting);
    return rest;
  }

  #pauseWith(rest: Buffer): void {
    this.#rest = rest;
    this.#socket.pause();
  }

  #answer({ head, asked }: PlainRequest) {
    const { credential, origin } = head;
    return this.#server.validations.answer({ credential, origin, asked }, this.#outlet);
  }

  /** Once for each access key: it is in memory from then on. */
  #learn(request: PlainRequest, piece: Buffer): void {
    this.#pauseWith(piece.subarray(request.length));
    this.#server.validations
      .learn(request.head.credential)
      // What went wrong is told by the long way, which asks again.
      .catch(() => false)
      .then((isKnown) => {
        if (this.#socket.destroyed) return;
        if (!isKnown || this.#answer(request) !== 'answered') this.#handOver(piece);
      });
  }

  #write = (text: string, encoding: 'latin1' | 'utf8'): void => {
    this.#isWaiting = false;
    this.hasAnswered = true;
    this.quietSince = performance.now();
    const socket = this.#socket;
    if (!socket.writable) return;
    if (!socket.write(text, encoding) && !this.#isFull) this.#waitForReader();
    if (this.#rest !== null) this.#goOn(this.#rest);
  };

  /** Whoever does not read the answers is not read either. */
  #waitForReader(): void {
    this.#isFull = true;
    this.#socket.pause().once('drain', () => {
      this.#isFull = false;
      if (!this.#isWaiting) this.#socket.resume();
    });
  }

  /** After an answer that was waited for. */
  #goOn(rest: Buffer): void {
    this.#rest = null;
    if (!this.#isFull && this.#socket.isPaused()) this.#socket.resume();
    if (rest.length > 0) this.#read(rest);
    else if (this.#hasEnded) this.#socket.end();
  }

  #handOver(piece: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#read).off('end', this.#end).off('error', this.#fail);
    socket.off('close', this.#close);
    this.#server.closed(this);
    this.#server.handOver(socket);
    // As if they came only now.
    socket.emit('data', piece);
    if (this.#hasEnded) socket.emit('end');
    else socket.resume();
  }

  /** Who has said all may still be waiting for an answer. */
  #end = (): void => {
    this.#hasEnded = true;
    if (!this.#isWaiting) this.#socket.end();
  };

  #fail = (): void => {
    this.#socket.destroy();
  };

  #close = (): void => this.#server.closed(this);
}
