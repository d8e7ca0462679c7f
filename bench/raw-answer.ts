import { connect } from 'node:net';

/** An answer as it stood on the wire, so that a peer can answer the same bytes. */
export interface RawAnswer {
  readonly status: number;
  /** As sent: order, case and repetition kept. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly byteLength: number;
}

/** Sends one POST without a body on a connection of its own and reads one answer. */
export function rawPost(port: number, path: string, accessKey: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${accessKey}\r\n\r\n`);
    });
    let received: Buffer = Buffer.alloc(0);
    socket.setTimeout(10_000, () => socket.destroy(new Error('No answer came.')));
    socket.once('error', reject);
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const answer = parseAnswer(received);
      if (answer === null) return;
      socket.destroy();
      resolve(answer);
    });
  });
}

/** null while the answer has not arrived whole. Only answers with a content-length are read. */
export function parseAnswer(bytes: Buffer): RawAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
  if (length === undefined) throw new Error('The answer says no content-length.');
  const byteLength = headEnd + 4 + Number(length);
  if (bytes.length < byteLength) return null;
  const body = bytes.toString('utf8', headEnd + 4, byteLength);
  return { status: Number(statusLine.split(' ')[1]), headers, body, byteLength };
}
