import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawHttpResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const RESPONSE_MS_MAX = 240_000;

/** Reads one response from the start of `bytes`; null if it is incomplete. Throws if it is not HTTP. */
export function readResponse(
  bytes: Buffer,
  method: string,
): { response: RawHttpResponse; rest: Buffer } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const match = /^HTTP\/1\.1 (\d{3})(?: [\x20-\x7e]*)?$/.exec(statusLine);
  if (match === null) throw new Error(`Invalid status line: ${JSON.stringify(statusLine)}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t\x20-\x7e\x80-\xff]*)$/.exec(line);
    if (field === null) throw new Error(`Invalid header: ${JSON.stringify(line)}`);
    headers.set(field[1]!.toLowerCase(), field[2]!);
  }
  const status = Number(match[1]);
  const after = bytes.subarray(end + 4);
  // `100 Continue` and other 1xx responses precede the final response.
  if (status < 200) return readResponse(after, method);
  const body = readBody(after, headers, status, method);
  return body && { response: { status, headers, body: body.bytes }, rest: body.rest };
}

function readBody(
  bytes: Buffer,
  headers: ReadonlyMap<string, string>,
  status: number,
  method: string,
): { bytes: Buffer; rest: Buffer } | null {
  if (method === 'HEAD' || status === 204 || status === 304)
    return { bytes: Buffer.alloc(0), rest: bytes };
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes);
  const length = Number(headers.get('content-length'));
  if (!Number.isInteger(length)) throw new Error('A response without a length.');
  if (bytes.length < length) return null;
  return { bytes: bytes.subarray(0, length), rest: bytes.subarray(length) };
}

function readChunks(bytes: Buffer): { bytes: Buffer; rest: Buffer } | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size >= 0)) throw new Error('A chunk without a size.');
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return null;
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
    if (size === 0) return { bytes: Buffer.concat(chunks), rest: bytes.subarray(at) };
  }
}

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
          const found = readResponse(received, method);
          if (found === null) return;
          const isLast = found.response.headers.get('connection') === 'close';
          // The response to unparseable HTTP has a body, even if the request was a HEAD.
          if (found.rest.length > 0 && !isLast)
            throw new Error('More than one response to one request.');
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
      socket.once('data', () => clearTimeout(timer));
    });
    if (response.headers.get('connection') === 'close') this.close();
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
