import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { HotPath } from './hot-path.ts';
import { type ConnectionOwner, RawConnection } from './raw-connection.ts';
import { ResponseText } from './response-text.ts';

export interface RawTimeouts {
  /** Time without a request after a response. */
  readonly keepAlive: number;
  /** Time without a complete request on a new connection. */
  readonly headers: number;
}

/** A client that has just connected sends its request within this time; closing before would lose it. */
export const NEW_CONNECTION_MS = 1_000;

export interface RawParts {
  readonly handler: HotPath;
  readonly timeouts: RawTimeouts;
  readonly closesConnections: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Accepts the connections of a server, and keeps those that Node's parser does not read yet. */
export class RawListener {
  readonly #connections = new Set<RawConnection>();
  readonly #timeouts: RawTimeouts;

  constructor(server: Server, { handler, timeouts, closesConnections, onError }: RawParts) {
    this.#timeouts = timeouts;
    // The first listener is Node's HTTP parser.
    const [parse] = server.listeners('connection') as [(socket: Socket) => void];
    server.off('connection', parse);
    const owner: ConnectionOwner = {
      handler,
      responseText: new ResponseText(timeouts.keepAlive),
      acceptsRequests: () => !closesConnections(),
      handOver: (socket) => parse.call(server, socket),
      forget: (connection) => this.#connections.delete(connection),
      onError,
    };
    server.on('connection', (socket: Socket) =>
      this.#connections.add(new RawConnection(socket, owner)),
    );
  }

  /** Closes connections that have been idle for longer than their timeout. */
  closeTimedOut(now: number): void {
    const { keepAlive, headers } = this.#timeouts;
    for (const connection of this.#connections) {
      const { isIdle, hasResponded, idleSince } = connection;
      if (isIdle && now - idleSince > (hasResponded ? keepAlive : headers)) connection.destroy();
    }
  }

  /** Closes connections without a request, except new ones. */
  closeIdle(now: number): void {
    for (const connection of this.#connections) {
      const { isWaiting, hasResponded, idleSince } = connection;
      const isNew = !hasResponded && now - idleSince < NEW_CONNECTION_MS;
      if (!isWaiting && !isNew) connection.closeSoon();
    }
  }

  destroyAll(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}
