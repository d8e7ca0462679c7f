import { type ClientConfig, Connection } from 'pg';

/** What identifies a connection to its server, or to the pooler. */
export interface CancelKey {
  readonly processID: number;
  readonly secretKey: number;
}

/** Methods of pg that its types omit. */
interface Cancelling extends Connection {
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}

/**
 * Asks the server to cancel the running statement of another connection. Resolves when the server has
 * handled the request: it gives no other answer than to close the connection. Rejects if that takes longer than
 * `timeoutMs`; the request may then still arrive.
 */
export async function cancelStatement(
  { host, port, ssl, sslnegotiation }: ClientConfig & { sslnegotiation?: string },
  key: CancelKey,
  timeoutMs: number,
): Promise<void> {
  const isDirect = sslnegotiation === 'direct';
  const connection = new Connection({
    ssl,
    ...(isDirect && { sslNegotiation: 'direct' }),
  } as never) as Cancelling;
  const send = () => connection.cancel(key.processID, key.secretKey);
  const late = new Error(`PostgreSQL did not handle a cancel request within ${timeoutMs} ms.`);
  const timer = setTimeout(() => connection.stream.destroy(late), timeoutMs);
  try {
    await new Promise<void>((resolve, reject) => {
      connection.on('connect', () => {
        if (!ssl) send();
        else if (!isDirect) connection.requestSsl();
      });
      connection.on('sslconnect', send);
      connection.on('error', reject);
      connection.on('end', resolve);
      connection.connect(port ?? 5432, host ?? 'localhost');
    });
  } finally {
    clearTimeout(timer);
    connection.stream.destroy();
  }
}
