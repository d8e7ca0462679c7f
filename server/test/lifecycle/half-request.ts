import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request of which the server has a part, and gets the rest when the test says so. */
export class HalfRequest {
  readonly #socket: Socket;
  readonly #rest: string;
  #answer = '';

  private constructor(socket: Socket, rest: string) {
    this.#socket = socket;
    this.#rest = rest;
    socket.on('data', (chunk) => {
      this.#answer += chunk;
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

  /** Everything that came back until the server closed the connection. */
  async finish(): Promise<{ status: number; headers: string; body: string }> {
    const closed = once(this.#socket, 'close');
    this.#socket.write(this.#rest);
    await closed;
    const [headers = '', body = ''] = this.#answer.split('\r\n\r\n', 2);
    return { status: Number(headers.split(' ')[1]), headers: headers.toLowerCase(), body };
  }
}
