import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A wire that a test can cut and freeze. `forward` passes everything on; `freeze` passes nothing on
 * and closes nothing, as packets that are dropped on the way do (new connections are accepted and
 * hear nothing); `cut` ends every connection and refuses new ones.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  #mode: 'forward' | 'freeze' | 'cut' = 'forward';

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer({ pauseOnConnect: true }, (near) => this.#accept(near));
  }

  static async to(host: string, port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy({ host, port });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The same address as `url`, by way of this proxy. */
  via(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  forward(): void {
    this.#mode = 'forward';
    // What was frozen has lost packets; it is not whole again, and must end.
    this.#endAll();
  }

  freeze(): void {
    this.#mode = 'freeze';
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was frozen goes on as if it had only been slow. */
  thaw(): void {
    this.#mode = 'forward';
    for (const socket of this.#sockets) socket.resume();
  }

  /** New connections are let through; what was frozen stays so, and nobody is told. */
  forwardNew(): void {
    this.#mode = 'forward';
  }

  cut(): void {
    this.#mode = 'cut';
    this.#endAll();
  }

  /** Ends what is connected now; whoever comes again is let through. */
  cutOnce(): void {
    this.#endAll();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(near: Socket): void {
    if (this.#mode === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...this.#target });
    this.#tie(near, far);
    this.#tie(far, near);
    if (this.#mode === 'freeze') far.pause();
    else near.resume();
  }

  #tie(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('data', (piece) => to.write(piece));
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  #endAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
}
