import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The reaction to one request: a response, a closed connection, or silence. */
export type Step =
  | { status: number; body?: unknown; text?: string; headers?: Record<string, string> }
  | 'cut'
  | 'silence';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Complete before the reaction. */
  body: string;
}

/** A server that handles each request with the next step of the script, and repeats the last step. */
export async function scriptedServer(...script: Step[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: '' };
    seen.push(one);
    const step = script[Math.min(seen.length, script.length) - 1] ?? 'cut';
    request.setEncoding('utf8').on('data', (text: string) => {
      one.body += text;
    });
    request.once('end', () => run(step, request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function run(step: Step, request: IncomingMessage, response: ServerResponse): void {
  if (step === 'silence') return;
  if (step === 'cut') {
    request.socket.destroy();
    return;
  }
  const text = step.text ?? JSON.stringify(step.body ?? {});
  response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers });
  response.end(text);
}

/** An error response of Keyward. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: { statusCode: status, message: code, error: 'Error', code, requestId: 'req_1' },
});
