import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type Fault = 'none' | 'cut' | 'half-open' | 'delayed';

/** A TCP proxy that can cut, stall or delay all of its connections. */
export class FaultyLink {
  readonly #server: Server;
  readonly #pairs = new Set<{ client: Socket; upstream: Socket }>();
  target: number;
  fault: Fault = 'none';
  delayMs = 0;

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer((client) => this.#pass(client));
  }

  static async open(target: number): Promise<FaultyLink> {
    const link = new FaultyLink(target);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cutAll(): void {
    for (const { client, upstream } of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cutAll();
    await once(this.#server, 'close');
  }

  #pass(client: Socket): void {
    if (this.fault === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(this.target, '127.0.0.1');
    const pair = { client, upstream };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => {});
      // Chunks stay in order; the delay is the one set when the chunk arrives.
      let last = Promise.resolve();
      from.on('data', (chunk: Buffer) => {
        // Half open: the data is dropped, and neither side gets an error.
        if (this.fault === 'half-open') return;
        const passesAt = performance.now() + (this.fault === 'delayed' ? this.delayMs : 0);
        last = last.then(async () => {
          const wait = passesAt - performance.now();
          if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
          if (!to.destroyed) to.write(chunk);
        });
      });
      from.on('close', () => {
        this.#pairs.delete(pair);
        void last.then(() => to.destroy());
      });
    }
  }
}
