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
    const method = String(parts[0]).startsWith('HEAD ') ? 'HEAD' : '';
    socket.on('close', () => {
      try {
        resolve(readResponses(Buffer.concat(chunks), method));
      } catch (error) {
        reject(error);
      }
    });
    socket.setTimeout(240_000, () => socket.destroy(new Error('no answer within 240 s')));
  });
}

function readResponses(bytes: Buffer, method: string): RawHttpResponse[] {
  const responses: RawHttpResponse[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const found = readResponse(rest, method);
    if (found === null) throw new Error('The connection closed within a response.');
    responses.push(found.response);
    rest = found.rest;
  }
  return responses;
}

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
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t\x20-\x7e\x80-\xff]*)$/.exec(line);
    if (field === null) throw new Error(`Invalid header: ${JSON.stringify(line)}`);
    headers[field[1]!.toLowerCase()] = field[2]!;
  }
  const status = Number(match[1]);
  const after = bytes.subarray(end + 4);
  const body = readBody(after, headers, status, method);
  return body && { response: { status, headers, text: body.bytes.toString() }, rest: body.rest };
}

function readBody(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  status: number,
  method: string,
): { bytes: Buffer; rest: Buffer } | null {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304)
    return { bytes: Buffer.alloc(0), rest: bytes };
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes);
  const length = Number(headers['content-length']);
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
