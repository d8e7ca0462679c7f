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

/** Accepts the connections of a server, and keeps those that Node's parser does not read yet. */
export class RawListener {
  readonly #connections = new Set<RawConnection>();
  readonly #timeouts: RawTimeouts;

  constructor(
    server: Server,
    handler: HotPath,
    timeouts: RawTimeouts,
    onError: (error: unknown) => void,
  ) {
    this.#timeouts = timeouts;
    // The first listener is Node's HTTP parser.
    const [parse] = server.listeners('connection') as [(socket: Socket) => void];
    server.off('connection', parse);
    const owner: ConnectionOwner = {
      handler,
      responseText: new ResponseText(timeouts.keepAlive),
      acceptsRequests: () => server.listening,
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

  closeIdle(): void {
    for (const connection of this.#connections) if (!connection.isWaiting) connection.closeSoon();
  }

  destroyAll(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}
