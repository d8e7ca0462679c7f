import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request whose first part is sent immediately and whose rest is sent by `finish`. */
export class HalfRequest {
  readonly #socket: Socket;
  readonly #rest: string;
  #response = '';

  private constructor(socket: Socket, rest: string) {
    this.#socket = socket;
    this.#rest = rest;
    socket.on('data', (chunk) => {
      this.#response += chunk;
    });
  }

  static async begin(url: string, text: string, sent: number): Promise<HalfRequest> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.setNoDelay(true);
    socket.write(text.slice(0, sent));
    return new HalfRequest(socket, text.slice(sent));
  }

  /** Sends the rest and returns the response, once the server has closed the connection. */
  async finish(): Promise<{ status: number; headers: string; body: string }> {
    const closed = once(this.#socket, 'close');
    this.#socket.write(this.#rest);
    await closed;
    const [headers = '', body = ''] = this.#response.split('\r\n\r\n', 2);
    return { status: Number(headers.split(' ')[1]), headers: headers.toLowerCase(), body };
  }
}
