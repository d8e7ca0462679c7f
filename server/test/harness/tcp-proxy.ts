import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A proxy that a test can freeze and cut. `forward` forwards everything. `freeze` forwards nothing and
 * closes nothing, like dropped packets; new connections are accepted but receive nothing. `cut` closes
 * every connection and refuses new ones.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  #mode: 'forward' | 'freeze' | 'refuse' = 'forward';

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

  /** `url` with the host and port of this proxy. */
  via(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  forward(): void {
    this.#mode = 'forward';
    // As after lost packets: a connection that was frozen does not continue.
    this.#endAll();
  }

  freeze(): void {
    this.#mode = 'freeze';
    for (const socket of this.#sockets) socket.pause();
  }

  /** Resumes frozen connections, as if the network had only been slow. */
  thaw(): void {
    this.#mode = 'forward';
    for (const socket of this.#sockets) socket.resume();
  }

  /** Forwards new connections; frozen ones stay open and forward nothing. */
  forwardNew(): void {
    this.#mode = 'forward';
  }

  cut(): void {
    this.refuseNew();
    this.#endAll();
  }

  /** Refuses new connections; the present ones are kept. */
  refuseNew(): void {
    this.#mode = 'refuse';
  }

  /** Closes the present connections; new ones are forwarded. */
  cutOnce(): void {
    this.#endAll();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(near: Socket): void {
    if (this.#mode === 'refuse') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...this.#target });
    this.#pipe(near, far);
    this.#pipe(far, near);
    if (this.#mode === 'freeze') far.pause();
    else near.resume();
  }

  #pipe(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('data', (chunk) => to.write(chunk));
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
