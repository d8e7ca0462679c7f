import { hash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** A request as it reached the API. */
export interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Name and value of each header, as sent. */
  readonly lines: readonly string[];
  readonly trailers: NodeJS.Dict<string>;
  readonly bodyBytes: number;
}

export interface RecordingApi {
  readonly port: number;
  /** What reached the API: complete requests, WebSockets, and bytes that are not HTTP. */
  readonly requests: Recorded[];
  /** `body`, when the first bytes of a body have arrived. */
  readonly events: EventEmitter;
  close(): void;
}

/** An API that records each request, and echoes what arrives over a WebSocket. */
export async function startRecordingApi(): Promise<RecordingApi> {
  const requests: Recorded[] = [];
  const events = new EventEmitter();
  const server = createServer(async (incoming, response) => {
    incoming.once('data', () => events.emit('body'));
    const body = await buffer(incoming).catch(() => Buffer.alloc(0));
    requests.push({ ...partsOf(incoming), trailers: incoming.trailers, bodyBytes: body.length });
    response.setHeader('content-type', 'application/json').end('{"from":"api"}');
  });
  server.on('upgrade', (incoming, socket: Duplex) => {
    requests.push({ ...partsOf(incoming), trailers: {}, bodyBytes: 0 });
    const key = `${incoming.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}\r\nSec-WebSocket-Accept: ${hash('sha1', key, 'base64')}\r\n\r\n`,
    );
    socket.on('error', () => {});
    socket.on('data', (frame: Buffer) => socket.write(echoOf(frame)));
    socket.on('end', () => socket.end());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    socket.destroy();
    // A gateway that closes its connection is no request.
    if (!error.code?.startsWith('HPE_')) return;
    const url = `not HTTP: ${error.message}`;
    requests.push({ method: '', url, headers: {}, lines: [], trailers: {}, bodyBytes: 0 });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    events,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const partsOf = (incoming: {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
}) => ({
  method: incoming.method!,
  url: incoming.url!,
  headers: incoming.headers,
  lines: incoming.rawHeaders,
});

/** The frame of a WebSocket server with the text of a client's short frame, which is masked. */
function echoOf(frame: Buffer): Buffer {
  const text = frame.subarray(6).map((byte, n) => byte ^ frame[2 + (n % 4)]!);
  return Buffer.concat([Buffer.from([0x81, text.length]), text]);
}

/** The masked frame of a WebSocket client with a short text. */
export function textFrame(text: string): Buffer {
  const mask = [1, 2, 3, 4];
  const masked = Buffer.from(text).map((byte, n) => byte ^ mask[n % 4]!);
  return Buffer.concat([Buffer.from([0x81, 0x80 | masked.length, ...mask]), masked]);
}

/**
 * Sends bytes, which http.request would reject or correct, and returns the status and all that was received before
 * the gateway closed the connection. Requests need `Connection: close`. Status 0: closed without a response.
 */
export async function sendBytes(
  url: string,
  bytes: string,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A gateway that rejects a request may close before it has read all of it.
  socket.on('error', () => {});
  socket.write(Buffer.from(bytes, 'latin1'));
  const timer = setTimeout(() => socket.destroy(new Error('hang')), 240_000);
  await once(socket, 'close').catch(() => {});
  clearTimeout(timer);
  if (socket.errored?.message === 'hang') throw new Error('The gateway did not close.');
  const text = Buffer.concat(chunks).toString('latin1');
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0), text };
}
