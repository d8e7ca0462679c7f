import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RawHttpResponse, readResponse } from './raw-http.ts';

const RESPONSE_MS_MAX = 240_000;

/** A connection that is reused until the server closes it. */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  /** Sends one complete request and reads one complete response; a timeout counts as a hang. */
  async request(bytes: Buffer, method: string): Promise<RawHttpResponse> {
    const socket = await this.#connected();
    const response = await new Promise<RawHttpResponse>((resolve, reject) => {
      let received = Buffer.alloc(0);
      const read = (chunk?: Buffer) => {
        try {
          if (chunk) received = Buffer.concat([received, chunk]);
          let found = readResponse(received, method);
          // `100 Continue` and other 1xx responses precede the final response.
          while (found !== null && found.response.status < 200)
            found = readResponse(found.rest, method);
          if (found === null) return;
          const isLast = found.response.headers.connection === 'close';
          // The response to unparseable HTTP has a body, even if the request was a HEAD.
          if (found.rest.length > 0 && !isLast)
            throw new Error('More than one response to one request.');
          clearTimeout(timer);
          resolve(found.response);
        } catch (error) {
          reject(error);
        }
      };
      const timer = setTimeout(() => reject(new Error('No response in time.')), RESPONSE_MS_MAX);
      socket.removeAllListeners('data').removeAllListeners('close');
      socket.on('data', read);
      socket.on('close', () => reject(new Error('The connection closed without a response.')));
      socket.write(bytes);
    });
    if (response.headers.connection === 'close') this.close();
    return response;
  }

  /** Sends arbitrary bytes; returns everything received until the server closes the connection. */
  async sendBytes(bytes: Buffer): Promise<Buffer> {
    const socket = connect(this.#port, '127.0.0.1');
    socket.on('error', () => {});
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = once(socket, 'close');
    const timer = setTimeout(() => socket.destroy(new Error('hang')), RESPONSE_MS_MAX);
    socket.end(bytes);
    await closed;
    clearTimeout(timer);
    if (socket.errored?.message === 'hang') throw new Error('The connection was not closed.');
    return Buffer.concat(chunks);
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #connected(): Promise<Socket> {
    if (this.#socket !== null && !this.#socket.destroyed) return this.#socket;
    const socket = connect(this.#port, '127.0.0.1');
    await once(socket, 'connect');
    socket.setNoDelay(true);
    socket.on('error', () => {});
    this.#socket = socket;
    return socket;
  }
}
