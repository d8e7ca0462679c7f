import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AnswerTexts } from './answer-text.ts';
import { type ForConnection, StraightConnection } from './straight-connection.ts';
import type { Validations } from './validations.ts';

export interface RawTimeouts {
  /** Without a request after a response. */
  readonly keepAlive: number;
  /** Without a whole request on a new connection. */
  readonly headers: number;
}

/** The connections of a server that Node's parser does not read yet. */
export class RawConnections {
  readonly #connections = new Set<StraightConnection>();
  readonly #timeouts: RawTimeouts;

  /** Takes new connections from Node's parser, and gives back those that need it. */
  constructor(
    server: Server,
    validations: Validations,
    timeouts: RawTimeouts,
    onError: (error: unknown) => void,
  ) {
    this.#timeouts = timeouts;
    // The first is Node's own.
    const [parse] = server.listeners('connection') as [(socket: Socket) => void];
    server.off('connection', parse);
    const parts: ForConnection = {
      validations,
      texts: new AnswerTexts(timeouts.keepAlive),
      isTaking: () => server.listening,
      handOver: (socket) => parse.call(server, socket),
      closed: (connection) => this.#connections.delete(connection),
      onError,
    };
    server.on('connection', (socket: Socket) =>
      this.#connections.add(new StraightConnection(socket, parts)),
    );
  }

  /** Closes connections that have been silent for longer than their timeout. */
  closeSilent(now: number): void {
    const { keepAlive, headers } = this.#timeouts;
    for (const connection of this.#connections) {
      const { isIdle, hasAnswered, quietSince } = connection;
      if (isIdle && now - quietSince > (hasAnswered ? keepAlive : headers)) connection.destroy();
    }
  }

  closeIdle(): void {
    for (const connection of this.#connections) if (!connection.isWaiting) connection.closeSoon();
  }

  destroyAll(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}
