import { connect } from 'node:net';

export interface RawHttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Sends raw bytes, which fetch would reject or correct, and reads responses until the server closes
 * the connection. Requests need `Connection: close`, unless the server closes anyway.
 */
export function sendRaw(url: string, ...parts: (string | Buffer)[]): Promise<RawHttpResponse[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on('connect', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A server that rejects a request may close before it has read all of it.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(responsesIn(Buffer.concat(chunks))));
    socket.setTimeout(240_000, () => socket.destroy(new Error('no answer within 240 s')));
  });
}

function responsesIn(bytes: Buffer): RawHttpResponse[] {
  const responses: RawHttpResponse[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const [body, after] = bodyIn(rest.subarray(end + 4), headers);
    responses.push({ status: Number(first.split(' ')[1]), headers, text: body.toString() });
    rest = after;
  }
  return responses;
}

/** The body of a response, and the bytes after it. */
function bodyIn(bytes: Buffer, headers: Record<string, string>): [body: Buffer, after: Buffer] {
  if (headers['transfer-encoding'] !== 'chunked') {
    const length = Number(headers['content-length'] ?? 0);
    return [bytes.subarray(0, length), bytes.subarray(length)];
  }
  const chunks: Buffer[] = [];
  for (let rest = bytes; ; ) {
    const line = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.toString('latin1', 0, line), 16);
    chunks.push(rest.subarray(line + 2, line + 2 + size));
    rest = rest.subarray(line + 2 + size + 2);
    if (size === 0) return [Buffer.concat(chunks), rest];
  }
}
